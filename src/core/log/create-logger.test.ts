import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInScope, Scope } from '#core/scope';
import { createLogger, isWrittenQuietly, writeQuietly } from './create-logger.js';
import {
  type LogHandler,
  createScopeLogHandler,
  currentRequestId,
  isLogLevel,
  logLevels,
  requestIdOf,
  requestLog,
} from './log-record.js';
import { createStreamLogHandler } from './stream-log-handler.js';

describe('log', () => {
  it('stores records with their request, up to a limit, and counts the rest', () => {
    const log = createLogger({ handlers: [createScopeLogHandler(2)] });
    const [first, second] = [new Scope(), new Scope()];
    runInScope(first, () => {
      log.info('a');
      log.channel('db').error('b', { x: 1 });
      log.info('c');
    });
    runInScope(second, () => log.debug('d'));
    log.info('outside');
    assert.deepEqual(
      first.get(requestLog)?.records.map((r) => `${r.channel} ${r.level} ${r.message}`),
      ['app info a', 'db error b'],
    );
    assert.equal(first.get(requestLog)?.dropped, 1);
    assert.equal(second.get(requestLog)?.records.length, 1);
  });

  it('passes each handler the records it accepts, and creates no record that none accepts', () => {
    const heard: string[] = [];
    const hear = (name: string, minLevel?: 'error' | 'notice'): LogHandler => ({
      ...(minLevel === undefined ? {} : { minLevel }),
      handle: ({ level }) => void heard.push(`${name} ${level}`),
    });
    const log = createLogger({ handlers: [hear('errors', 'error'), hear('notices', 'notice')] });
    assert.deepEqual(
      [log.takes('info'), log.takes('notice'), createLogger({ handlers: [] }).takes('emergency')],
      [false, true, false],
    );
    log.info('for nobody');
    log.notice('for one');
    log.error('for both');
    createLogger({ handlers: [hear('all')] }).debug('for one');
    createLogger({ handlers: [] }).emergency('for nobody');
    assert.deepEqual(heard, ['notices notice', 'errors error', 'notices error', 'all debug']);
  });

  it('skips levels below the minimum; a failing handler breaks nothing', () => {
    const lines: string[] = [];
    const failing = {
      handle: () => {
        throw new Error('disk');
      },
    };
    const log = createLogger({
      minLevel: 'notice',
      handlers: [failing, createStreamLogHandler({ write: (t) => lines.push(t) }, { minLevel: 'debug' })],
    });
    log.info('quiet');
    log.warning('two\nlines \u001b[31m');
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /WARNING app: two\\u000alines \\u001b\[31m\n$/);
  });

  it("marks a handler's output as already recorded, even if handlers nest or fail", () => {
    const seen: boolean[] = [];
    const look = (): void => void seen.push(isWrittenQuietly());
    createLogger({ handlers: [{ handle: look }] }).info('one');
    look();
    writeQuietly(() => {
      assert.throws(() =>
        writeQuietly(() => {
          throw new Error('disk');
        }),
      );
      look();
    });
    look();
    assert.deepEqual(seen, [true, false, true, false]);
    assert.equal(
      writeQuietly(() => 'result'),
      'result',
    );
  });

  it('renders a message that is not a string as its type; a logger for another channel keeps its level', () => {
    const lines: string[] = [];
    const handlers = [createStreamLogHandler({ write: (text) => lines.push(text) }, { minLevel: 'debug' })];
    const log = createLogger({ handlers, minLevel: 'info', channel: 'shop' });
    log.info({ secret: 1 } as never); // as untyped programs may do
    log.channel('db').debug('quiet');
    log.channel('db').log('info', 'said');
    assert.deepEqual(
      lines.map((line) => line.slice(25)),
      ['INFO shop: object\n', 'INFO db: said\n'],
    );
  });
});

describe("a request's id", () => {
  it('has 32 hexadecimal digits, is the same throughout a request, and different for each request', () => {
    const ids = Array.from({ length: 5000 }, () => requestIdOf(new Scope()));
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/);
    const scope = new Scope();
    assert.equal(requestIdOf(new Scope(new Scope(scope))), requestIdOf(scope));
    assert.equal(runInScope(scope, currentRequestId), requestIdOf(scope));
    assert.equal(currentRequestId(), undefined);
  });
});

describe('levels', () => {
  it('are exactly these eight', () => {
    assert.equal(logLevels.every(isLogLevel), true);
    for (const other of ['', 'warn', 'INFO', 3, undefined, null]) assert.equal(isLogLevel(other), false);
  });
});

describe('a log line', () => {
  const write = (message: string, options: Parameters<typeof createStreamLogHandler>[1] = {}): string[] => {
    const lines: string[] = [];
    const handler = createStreamLogHandler({ write: (text) => lines.push(text) }, options);
    handler.handle({ time: 0, level: 'error', channel: 'db', message, context: { a: 1 }, requestId: 'r\n1' });
    return lines;
  };

  it('has time, level, channel, message and request id, then further details', () => {
    const line = '1970-01-01T00:00:00.000Z ERROR db: no [r\\u000a1]\n';
    assert.deepEqual(write('no'), [line]);
    assert.deepEqual(write('no', { detail: ({ level }) => `  of ${level} \n\n` }), [`${line}  of error\n`]);
    assert.deepEqual(write('no', { detail: () => undefined, except: ['app'] }), [line]);
    assert.deepEqual(write('no', { except: ['app', 'db'] }), []);
    assert.equal(createStreamLogHandler({ write: () => true }).minLevel, 'warning');
  });

  it('has at most 16,384 characters of a message, then the number of omitted ones, and never half a secret', () => {
    const whole = 'a'.repeat(16_384);
    const shown = (message: string): string => (write(message)[0] ?? '').slice(35, -12);
    assert.equal(shown(whole), whole);
    assert.equal(shown(`${whole}b`), `${whole}… (1 more characters)`);
    const secret = `${whole.slice(0, 16_370)} Bearer ${'s3cr3tT0ken'.repeat(5)}`;
    assert.doesNotMatch(shown(secret), /s3cr/);
  });

  it('has no character that moves a cursor, starts a line or reorders text', () => {
    const text = String.fromCodePoint(...Array.from({ length: 0x2100 }, (_, code) => code));
    const [line = ''] = write(text);
    // oxlint-disable-next-line no-control-regex -- the expression searches for control characters
    const moving = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
    assert.doesNotMatch(line.slice(0, -1), moving);
    assert.ok(line.includes('\\u0000') && line.includes('\\u009f') && line.includes('\\u202e'));
    assert.ok(line.includes('~') && line.includes('\u00a0') && line.includes('\u200d'));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInScope, Scope } from '#scope';
import { createLogger } from './create-logger.js';
import { type LogHandler, createScopeLogHandler, requestLog } from './log-record.js';
import { createStreamLogHandler } from './stream-log-handler.js';

describe('log', () => {
  it('files records under the request they were written for, up to a limit that is counted', () => {
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

  it('each handler gets what it takes, and what none takes is not made', () => {
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

  it('levels below the minimum are not handled; a failing handler fails nothing', () => {
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
});

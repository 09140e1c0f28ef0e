import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { createApp, createLogger, createPinoHandler } from 'lookback';

type Line = Readonly<Record<string, unknown>> & { readonly err?: Readonly<Record<string, string>> };

function collect(): { lines: Line[]; handler: ReturnType<typeof createPinoHandler> } {
  const lines: Line[] = [];
  const logger = pino(
    { level: 'debug', base: null },
    { write: (text: string) => void lines.push(JSON.parse(text) as Line) },
  ); // pino's lines
  return { lines, handler: createPinoHandler(logger) };
}

describe('the handler for pino', () => {
  it('keeps the error of a request as err, with its causes and the id of its answer', async () => {
    const { lines, handler } = collect();
    const app = createApp({
      configuration: { env: 'prod', debug: false, profilerStore: 'off' },
      logHandlers: [handler],
    });
    app.get('/fails', () => {
      throw new Error('outer', { cause: new RangeError('password=hunter2 is wrong') });
    });
    const response = await app.fetch('/fails');
    const line = lines.find(({ err }) => err !== undefined);
    assert.equal(line?.['level'], 60);
    assert.equal(line['severity'], 'critical');
    assert.deepEqual(
      [line['channel'], line['method'], line['path'], line['status'], line['requestId']],
      ['request', 'GET', '/fails', 500, response.headers.get('x-request-id')],
    );
    assert.deepEqual([line.err?.['type'], line.err?.['message']], ['Error', 'outer']);
    assert.match(line.err?.['stack'] ?? '', /RangeError[\s\S]*pino\.test/);
    assert.ok(!JSON.stringify(lines).includes('hunter2'));
    await app.close();
  });

  it('writes every level, fields as they are, secrets hidden, and runs nothing of what it is given', () => {
    const { lines, handler } = collect();
    const log = createLogger({ handlers: [handler] });
    log.debug('a', { count: 2, name: 'ada', ok: true, none: null, apiToken: 'hunter2', error: undefined });
    log.notice('b');
    log.warning('c', 'words');
    log.alert('token=hunter2');
    const hostile = {
      get boom(): string {
        throw new Error('a getter was run');
      },
      deep: { toJSON: () => assert.fail('toJSON was run') },
      big: 10n,
    };
    log.error('d', hostile);
    log.error('e', { error: 'no error at all' });
    const { level, channel, msg, count, name, ok, none } = lines[0] ?? {};
    assert.deepEqual(
      { level, channel, msg, count, name, ok, none },
      { level: 20, channel: 'app', msg: 'a', count: 2, name: 'ada', ok: true, none: null },
    );
    assert.deepEqual(
      lines.map((line) => [line['level'], line['severity']]),
      [
        [20, undefined],
        [30, 'notice'],
        [40, undefined],
        [60, 'alert'],
        [50, undefined],
        [50, undefined],
      ],
    );
    assert.equal(lines[2]?.['context'], '"words"');
    assert.match(String(lines[4]?.['big']), /10/);
    assert.equal(lines[5]?.err?.['message'], 'no error at all');
    assert.ok(!JSON.stringify(lines).includes('hunter2'));
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { createApp } from 'lookback';
import { currentRecording } from 'lookback/profiler';

describe('a client that leaves before its response', { timeout: 120_000 }, () => {
  const lines: string[] = [];
  let token = '';
  let arrived = (): void => undefined;
  const arrive = (): void => {
    token = currentRecording()?.token ?? '';
    arrived();
  };
  let ended = 0;
  const app = createApp({
    configuration: { debug: true, profilerStore: 'memory:', port: 0, host: '127.0.0.1' },
    logHandlers: [{ minLevel: 'debug', handle: ({ level, message }) => lines.push(`${level} ${message}`) }],
  });
  app.get('/wait', async ({ request: { signal } }) => {
    arrive();
    try {
      return await sleep(60_000, 'late', { signal });
    } finally {
      ended++;
    }
  });
  app.get('/wrong', async ({ request: { signal } }) => {
    arrive();
    await once(signal, 'abort');
    ended++;
    throw new TypeError('a bug behind the abort');
  });
  let port = 0;
  before(async () => ({ port } = await app.listen()));
  after(() => app.close());

  interface Left {
    readonly state: string;
    readonly exception: unknown;
    readonly response: {
      readonly status: number;
      readonly headers: readonly unknown[];
      readonly bodyBytes: number;
    };
  }

  async function leave(path: string): Promise<Left> {
    const here = new Promise<void>((resolve) => (arrived = resolve));
    const before = ended;
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await here;
    socket.destroy();
    while (ended === before) await sleep(1);
    return findRecord();
  }

  async function findRecord(): Promise<Left> {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/_profiler/${token}.json`);
      const record = (await answer.json()) as Left; // the part of the JSON that is read
      if (answer.ok && record.state !== 'unfinished') return record;
      await sleep(1);
    }
  }

  it('is not a failure: nothing is logged, no error page is rendered, and the record is marked as aborted', async () => {
    const { state, exception, response } = await leave('/wait');
    assert.deepEqual([state, exception], ['aborted', null]);
    assert.deepEqual([response.status, response.headers, response.bodyBytes], [499, [], 0]);
    assert.deepEqual(
      lines.filter((line) => /critical|error/i.test(line)),
      [],
    );
  });

  it('is reported for a request by app.fetch as well', async () => {
    const here = new Promise<void>((resolve) => (arrived = resolve));
    const leaving = new AbortController();
    const asked = app.fetch('/wait', { signal: leaving.signal });
    await here;
    leaving.abort();
    assert.deepEqual([(await asked).status, await (await asked).text()], [499, '']);
    assert.equal((await findRecord()).state, 'aborted');
  });

  it('hides no other error that is thrown after it', async () => {
    assert.match(JSON.stringify((await leave('/wrong')).exception), /a bug behind the abort/);
    assert.match(lines.join('\n'), /critical Uncaught TypeError: a bug behind the abort/);
  });
});

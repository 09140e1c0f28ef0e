import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type App, createApp, HttpResponse, readConfiguration, terminateEvent } from 'lookback';
import { currentRecording, findingsOf, type ProfileRecord } from 'lookback/profiler';
import { recordQuery } from 'lookback/instrumentation';
import type { LateWork } from '../../src/profiler/encoding/amendments.js';
import { local } from '../local-peer.js';
import { until } from '../until.js';

async function withApp(work: (app: App, url: string) => Promise<void>): Promise<void> {
  const app = createApp({
    configuration: readConfiguration({ APP_ENV: 'test', APP_DEBUG: '1', PROFILER_STORE: 'memory:' }),
    logHandlers: [],
  });
  try {
    const { url } = await app.listen({ port: 0 });
    await work(app, url);
  } finally {
    await app.close();
  }
}

async function recordOf(app: App, token: string | null): Promise<ProfileRecord> {
  const found = await app.profiler?.find(token ?? '');
  assert.ok(found?.kind === 'found', `${found?.kind}`);
  return found.record;
}

function brokenStream(): HttpResponse {
  return HttpResponse.stream(
    (async function* () {
      yield 'some';
      await nextTurn();
      throw new Error('The stream broke.');
    })(),
  );
}

/** Asserts that a record's exception was not seen by any client. */
function assertUnseen({ exception }: ProfileRecord, message: string): void {
  assert.equal(exception?.message, message);
  assert.deepEqual(
    exception.errors.map(({ isOuter }) => isOuter),
    exception.errors.map(() => false),
  );
}

describe('P3: failures and work after the response are in its record', () => {
  it('a stream that fails midway, over a socket and by fetch', async () => {
    await withApp(async (app, url) => {
      app.get('/', brokenStream);
      for (const answer of [await fetch(url), await app.fetch('/', local)]) {
        const token = answer.headers.get('x-debug-token');
        await assert.rejects(answer.text());
        const record = await recordOf(app, token);
        assertUnseen(record, 'The stream broke.');
        assert.deepEqual([record.state, record.response?.status], ['aborted', 200]);
        const page = await (await app.fetch(`/_profiler/${record.token}`, local)).text();
        assert.match(page, /<span class="chip is-warn">! 200, cut short</);
      }
    });
  });

  it('a stream that is cancelled ends its record', async () => {
    await withApp(async (app) => {
      app.get('/', () => HttpResponse.stream(new ReadableStream({ pull: (to) => to.enqueue('a') })));
      const answer = await app.fetch('/', local);
      await answer.body?.cancel();
      assert.equal(app.profiler?.counters().open, 0);
      assert.equal((await recordOf(app, answer.headers.get('x-debug-token'))).state, 'aborted');
    });
  });

  it('a stream that exceeds its own Content-Length', async () => {
    await withApp(async (app, url) => {
      app.get('/', () =>
        HttpResponse.stream(
          (async function* () {
            yield 'abc';
          })(),
          { headers: { 'Content-Length': '2' } },
        ),
      );
      const answer = await fetch(url).catch(() => undefined);
      await answer?.text().catch(() => undefined);
      const record = await recordOf(app, 'latest');
      assert.match(record.exception?.message ?? '', /Content-Length of 2 bytes/);
    });
  });

  it('a listener that throws after the last byte', async () => {
    await withApp(async (app) => {
      app.get('/', () => 'ok');
      app.on(terminateEvent, () => {
        throw new Error('The mail was not sent.');
      });
      const answer = await app.fetch('/', local);
      const record = await recordOf(app, answer.headers.get('x-debug-token'));
      assertUnseen(record, 'The mail was not sent.');
      assert.match(record.logs.at(-1)?.message ?? '', /after the response was sent: Error: The mail/);
      const page = await app.fetch(`/_profiler/${record.token}?panel=exception`, local);
      assert.match(await page.text(), /This error occurred after the response/);
    });
  });

  it('a query and a call that nothing awaited, with their line', async () => {
    await withApp(async (app, url) => {
      let goOn = (): void => {};
      const gate = new Promise<void>((resolve) => (goOn = resolve));
      let late: Promise<unknown> | undefined;
      app.get('/none', () => 'none');
      app.get('/', () => {
        late = gate.then(async () => {
          recordQuery({ sql: "insert into visits values ('secret=hunter2hunter2')", durationMs: 0 });
          await (await fetch(`${url}/none?token=abcdef123456`)).text();
          const callSite = [
            { name: 'load', file: '/srv/password=hunter2hunter2/load.js', line: 1, column: 1 },
          ];
          channel('lookback:persistence:query').publish({ sql: 'select 2', durationMs: 0, callSite });
          for (let count = 0; count < 9; count++) recordQuery({ sql: 'select 1', durationMs: 0 });
        });
        return 'ok';
      });
      const answer = await fetch(url);
      await answer.text();
      const token = answer.headers.get('x-debug-token');
      // The response arrives before the record is closed.
      await until(async () => (await recordOf(app, token)).state === 'complete');
      goOn();
      await late;
      const record = await recordOf(app, token);
      const { work } = record.sections['late'] as { readonly work: readonly LateWork[] }; // we define it ourselves
      assert.equal(work.length, 5);
      assert.ok(work.every(({ startMs }) => startMs > record.durationMs));
      assert.doesNotMatch(JSON.stringify(work), /hunter2|abcdef123456/);
      assert.match(work[1]?.text ?? '', /^GET http:.*\/none/);
      const texts = findingsOf(record).map(({ text }) => text);
      assert.match(
        texts.find((text) => !text.startsWith('May have waited')) ?? '', // on a busy machine, it comes first
        /^Not awaited: a query began .* after the response, from .*late-failures\.test\.ts:\d+$/,
      );
    });
  });

  it('a query that nothing awaited is added once, even with another application in the process', async () => {
    await withApp(async (app) =>
      withApp(async () => {
        let goOn = (): void => {};
        const gate = new Promise<void>((resolve) => (goOn = resolve));
        let late: Promise<void> | undefined;
        app.get('/', () => {
          late = gate.then(() => recordQuery({ sql: 'select 1', durationMs: 0 }));
          return 'ok';
        });
        const token = (await app.fetch('/', local)).headers.get('x-debug-token');
        await until(async () => (await recordOf(app, token)).state === 'complete');
        goOn();
        await late;
        const { late: section } = (await recordOf(app, token)).sections;
        assert.equal((section as { readonly work: readonly LateWork[] }).work.length, 1); // we define it ourselves
      }),
    );
  });

  it('errors and log lines after the record is closed are added to it, and to its row, within limits', async () => {
    await withApp(async (app) => {
      let goOn = (): void => {};
      const gate = new Promise<void>((resolve) => (goOn = resolve));
      let late: Promise<void> | undefined;
      app.get('/', ({ log }) => {
        const recording = currentRecording();
        late = gate.then(() => {
          recording?.lateError(new Error('Too late for the client. password=hunter2hunter2'));
          for (let count = 0; count < 30; count++) log.error('It went wrong: token=abcdef123456', { count });
          log.info('no harm');
        });
        return 'ok';
      });
      const answer = await app.fetch('/', local);
      const token = answer.headers.get('x-debug-token');
      assert.equal((await recordOf(app, token)).exception, null);
      goOn();
      await late;
      await app.profiler?.flush();
      const record = await recordOf(app, token);
      assertUnseen(record, 'Too late for the client. password=[redacted]');
      const added = record.logs.filter(({ message }) => message.startsWith('It went wrong'));
      assert.equal(added.length, 20);
      assert.equal(added[0]?.message, 'It went wrong: token=[redacted]');
      assert.ok((added[0]?.offsetMs ?? 0) > record.durationMs);
      assert.deepEqual(record.limits, [{ what: 'late logs', kept: 20, total: 30, limit: 20 }]);
      const row = (await app.profiler?.list())?.rows.find((other) => other.token === token);
      assert.match(row?.exception ?? '', /^Too late/);
      assert.equal(row?.warnings, 30);
    });
  });

  it('an error that the client saw is not replaced by a later one', async () => {
    await withApp(async (app) => {
      app.get('/', () => {
        throw new Error('first');
      });
      app.on(terminateEvent, () => {
        throw new Error('second');
      });
      const answer = await app.fetch('/', local);
      const record = await recordOf(app, answer.headers.get('x-debug-token'));
      assert.equal(record.exception?.message, 'first');
    });
  });
});

import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { Readable } from 'node:stream';
import type { LogRecord } from '#core/log';
import { channel } from 'node:diagnostics_channel';
import { createProfiler, parseQuery, registerSpan, requestRecording } from '#profiler';
import type { Profiler, ProfileRecord, ProfilerOptions, Recording, Section } from '#profiler';
import { runInScope } from '#core/scope';
import { addUp, getRecord, makeRequest, watchRequest } from './watch-request.js';

const sentNothing = { status: 200, headers: [], bodyBytes: 0, completed: true };

async function withProfiler(
  work: (profiler: Profiler) => Promise<void>,
  options: Partial<ProfilerOptions> = {},
): Promise<void> {
  const profiler = createProfiler({ store: 'memory:', ...options });
  try {
    await work(profiler);
    addUp(profiler);
  } finally {
    await profiler.close();
  }
}

function logOf(message: string, context?: unknown): LogRecord {
  return { time: Date.now(), level: 'info', channel: 'app', message, context };
}

/** Removes findings that appear only if the process was busy when the request began. */
function sectionsOf({ sections }: ProfileRecord): Readonly<Record<string, unknown>> {
  const { loop: _loop, ...rest } = sections;
  return rest;
}

function breakSource({ source }: ReturnType<typeof makeRequest>, part: 'peer' | 'httpVersion'): void {
  Object.defineProperty(source, part, {
    get() {
      throw new Error('cannot be read');
    },
  });
}

describe('the recorder', () => {
  it('P5: a record can be read immediately, before and after it is stored, and is the same', async () => {
    await withProfiler(async (profiler) => {
      const token = watchRequest(profiler, { body: 'hello' });
      const before = await getRecord(profiler, token);
      assert.equal(profiler.counters().pending, 1);
      await profiler.flush();
      assert.equal(profiler.counters().stored, 1);
      assert.deepEqual(await getRecord(profiler, token), before);
      assert.equal((await getRecord(profiler, 'latest')).token, token);
    });
  });

  it('P2: there is one record per request, however often its end is reported', async () => {
    await withProfiler(async (profiler) => {
      const recording = profiler.begin(makeRequest());
      profiler.finish(recording, undefined, sentNothing);
      profiler.finish(recording, undefined, sentNothing);
      recording.log(logOf('too late'));
      recording.error(new Error('too late'));
      recording.section('late', {});
      assert.equal(recording.enter(registerSpan({ name: 'late', category: 'x' })), -1);
      assert.equal(addUp(profiler).made, 1);
      const record = await getRecord(profiler, recording.token);
      assert.deepEqual([record.logs, record.exception, sectionsOf(record)], [[], null, {}]);
    });
  });

  it('keeps a request as it was when it was closed, however much later its record is written', async () => {
    const late = async (recorder: Profiler): Promise<void> => {
      const bytes = Buffer.from('as it was');
      const rawHeaders = ['Host', 'a.test', 'Content-Type', 'text/plain', 'Content-Length', '9'];
      const request = makeRequest({
        method: 'POST',
        rawHeaders,
        body: { chunks: () => Readable.from([bytes]) },
      });
      const read = await request.bytes();
      const recording = recorder.begin(request);
      request.scope.set(requestRecording, recording);
      const lookUp = (key: string): void =>
        channel('lookback:locale:message').publish({ key, locale: 'en', used: 'en', state: 'defined' });
      runInScope(request.scope, lookUp, 'in time');
      recorder.finish(recording, undefined, sentNothing);
      read.fill(33);
      bytes.fill(33);
      rawHeaders[1] = 'another.test';
      recording.user('nobody');
      runInScope(request.scope, lookUp, 'too late');
      const record = await getRecord(recorder, recording.token);
      const { body, user, host } = record.request;
      assert.deepEqual([body?.content, user, host], ['as it was', null, 'a.test']);
      assert.deepEqual(
        (record.sections['translation'] as { messages: { key: string }[] }).messages.map(({ key }) => key),
        ['in time'],
      );
    };
    await withProfiler(late);
  });

  it('writes many records at a time, and counts those that wait', async () => {
    await withProfiler(async (profiler) => {
      for (let made = 1; made <= 200; made++) {
        watchRequest(profiler);
        assert.deepEqual([addUp(profiler).made, addUp(profiler).pending], [made, made]);
      }
      await profiler.flush();
      assert.equal(addUp(profiler).stored, 200);
    });
  });

  it('counts records that cannot be written, immediately, and writes the others', async () => {
    let told = 0;
    const watched: Profiler[] = [];
    const onFailure = (): void => {
      for (const profiler of watched) told += addUp(profiler).dropped.unrecordable;
    };
    const work = async (profiler: Profiler): Promise<void> => {
      watched.push(profiler);
      const tokens = [watchRequest(profiler)];
      const broken = makeRequest();
      const recording = profiler.begin(broken);
      breakSource(broken, 'peer');
      profiler.finish(recording, undefined, sentNothing);
      tokens.push(watchRequest(profiler));
      for (const token of tokens) assert.equal((await getRecord(profiler, token)).state, 'complete');
      assert.deepEqual([addUp(profiler).dropped.unrecordable, told], [1, 1]);
    };
    await withProfiler(work, { onFailure });
  });

  it('reports a fact that cannot be read, and keeps the record without it', async () => {
    const told: unknown[] = [];
    const work = async (profiler: Profiler): Promise<void> => {
      const request = makeRequest();
      breakSource(request, 'httpVersion');
      const recording = profiler.begin(request);
      profiler.finish(recording, undefined, sentNothing);
      const { request: kept } = await getRecord(profiler, recording.token);
      assert.deepEqual([kept.httpVersion, kept.clientAddress], ['', '127.0.0.1']);
      assert.equal(told.length, 1);
    };
    await withProfiler(work, { onFailure: (error) => told.push(error) });
  });

  it('a running request is shown as unfinished, and waited for if it ends soon', async () => {
    await withProfiler(async (profiler) => {
      const recording = profiler.begin(makeRequest({ target: '/slow' }));
      recording.log(logOf('so far'));
      const half = await getRecord(profiler, recording.token);
      assert.deepEqual([half.state, half.response, half.logs.length], ['unfinished', null, 1]);
      const asked = getRecord(profiler, recording.token);
      await nextTurn();
      profiler.finish(recording, undefined, { ...sentNothing, status: 201, completed: false });
      const whole = await asked;
      assert.deepEqual([whole.state, whole.response?.status], ['aborted', 201]);
    });
  });

  it('keeps stages and listeners in order, with their times, and shows which stopped or failed', async () => {
    await withProfiler(async (profiler) => {
      const stage = registerSpan({ name: 'request', category: 'stage' });
      const [router, firewall] = ['router', 'firewall'].map((name, at) =>
        registerSpan({ name, category: 'listener', event: 'request', priority: 32 - at }),
      );
      const controller = registerSpan({ name: 'Home.show', category: 'controller' });
      const token = watchRequest(profiler, {
        during(recording) {
          const open = recording.enter(stage);
          recording.leave(recording.enter(router ?? 0));
          recording.leave(recording.enter(firewall ?? 0), 'stopped');
          recording.leave(open);
          recording.leave(recording.enter(controller), 'failed');
          recording.enter(controller);
        },
      });
      const { events, timeline } = await getRecord(profiler, token);
      assert.deepEqual(
        events.map(({ event, listeners }) => [
          event,
          listeners.map((one) => [one.name, one.priority, one.stopped]),
        ]),
        [
          [
            'request',
            [
              ['router', 32, false],
              ['firewall', 31, true],
            ],
          ],
        ],
      );
      assert.deepEqual(
        timeline.map(({ name, category, open }) => [name, category, open ?? false]),
        [
          ['request', 'stage', false],
          ['router', 'listener', false],
          ['firewall', 'listener', false],
          ['Home.show', 'controller', false],
          ['Home.show', 'controller', true],
        ],
      );
      for (const [at, span] of timeline.entries()) {
        assert.ok(span.durationMs >= 0 && span.startMs >= (timeline[at - 1]?.startMs ?? 0));
      }
    });
  });

  it('every limit that cut something is reported', async () => {
    await withProfiler(
      async (profiler) => {
        const token = watchRequest(profiler, {
          body: 'é'.repeat(900),
          during(recording) {
            for (let count = 0; count < 10; count++) recording.log(logOf(`line ${count}`));
            recording.section(
              'big',
              Array.from({ length: 5000 }, () => 'x'.repeat(50)),
            );
            const id = registerSpan({ name: 'loop', category: 'app' });
            for (let count = 0; count < 1000; count++) recording.leave(recording.enter(id));
            recording.requestBody(Buffer.alloc(5000, 'a'));
          },
        });
        const record = await getRecord(profiler, token);
        const limits = new Map(record.limits.map((limit) => [limit.what, limit]));
        assert.deepEqual(limits.get('logs'), { what: 'logs', kept: 3, total: 10, limit: 3 });
        assert.equal(record.logs.length, 3);
        assert.equal(limits.get('timeline')?.total, 1000);
        // On a busy machine, an extra bar shows when the process did not run.
        const ours = record.timeline.filter(({ category }) => category === 'app');
        assert.equal(ours.length, limits.get('timeline')?.kept);
        assert.ok(limits.has('section big'));
        assert.deepEqual([record.request.body?.content.length, record.request.body?.bytes], [1000, 5000]);
        assert.equal(limits.get('request body')?.total, 5000);
        assert.deepEqual([record.response?.body?.content.length, record.response?.body?.cut], [500, true]);
      },
      { limits: { logs: 3, section: 10_000, requestBody: 1000, responseBody: 500 } },
    );
  });

  it('hostile values leave the rest of a record intact', async () => {
    const trap = new Proxy(
      {},
      {
        get() {
          throw new Error('trapped');
        },
        ownKeys() {
          throw new Error('trapped');
        },
      },
    );
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const circle: Record<string, unknown> = { toJSON: () => assert.fail('run') };
    circle['self'] = circle;
    Object.defineProperty(circle, 'getter', { enumerable: true, get: () => assert.fail('run') });
    const values = [
      trap,
      revoked.proxy,
      circle,
      10n,
      Symbol('s'),
      () => 1,
      new Map([[circle, trap]]),
      'x'.repeat(1e6),
    ];
    await withProfiler(async (profiler) => {
      for (const value of values) {
        const token = watchRequest(profiler, {
          during(recording) {
            recording.log(logOf('hostile', value));
            recording.controller({ name: 'c' }, [value, { value }], [{ name: 'a' }]);
            recording.route({ name: 'r', path: '/' }, { value });
            recording.section('s', { value, list: [value] });
            recording.error(value);
          },
        });
        const record = await getRecord(profiler, token);
        assert.ok(JSON.stringify(record).length < 400_000);
        assert.deepEqual([record.controller?.arguments.length, record.logs.length], [2, 1]);
        assert.notEqual(record.exception, null);
      }
      assert.equal(profiler.counters().failures, 0);
    });
  });

  it('a section or a trace that throws leaves the rest of the record intact, and is counted', async () => {
    const told: unknown[] = [];
    const fail = (): never => {
      throw new Error('broken part');
    };
    await withProfiler(
      async (profiler) => {
        const during = (recording: Recording): void =>
          recording.route({ name: 'r', path: '/r', trace: fail }, { a: '1' });
        const record = await getRecord(profiler, watchRequest(profiler, { during }));
        assert.deepEqual(
          [record.route?.name, record.route?.trace, sectionsOf(record)],
          ['r', null, { fine: { n: 1 } }],
        );
        assert.equal(profiler.counters().failures, 2);
        assert.equal(told.length, 1);
      },
      {
        sections: [
          { id: 'broken', collect: fail },
          { id: 'fine', collect: () => ({ n: 1 }) },
          { id: 'silent', collect: () => undefined },
        ],
        onFailure: (error) => told.push(error),
      },
    );
  });

  it('a custom section declares its values for lists, the timeline and the findings', async () => {
    const data = { sent: [{ to: 'ada@example.org', via: 'smtp' }], tookMs: 1.5 };
    const sms: Section<typeof data> = {
      id: 'sms',
      collect: () => data,
      numbers: { sent: { kind: 'count', of: ({ sent }) => sent.length } },
      timeline: () => [{ name: 'sms', startMs: 0, durationMs: 1, category: 'http' }],
      findings: ({ tookMs }) => [{ text: `Sending took ${tookMs} ms`, anchor: 'sms-1' }],
    };
    await withProfiler(
      async (profiler) => {
        const token = watchRequest(profiler);
        for (let time = 0; time < 2; time++) {
          const record = await getRecord(profiler, token);
          assert.deepEqual(sectionsOf(record), { sms: data });
          assert.deepEqual(record.timeline.at(-1)?.section, 'sms');
          const finding = {
            section: 'sms',
            kind: 'sms',
            level: 'warn',
            text: 'Sending took 1.5 ms',
            anchor: 'sms-1',
          };
          // Work of earlier tests may have preceded this request, and would show up as its waiting time.
          const own = record.findings?.filter(({ kind }) => kind !== 'held-up');
          assert.deepEqual(own, [finding]);
          assert.equal((await profiler.list()).rows[0]?.collected['sms.sent'], 1);
          await profiler.flush();
        }
      },
      { sections: [sms] },
    );
  });

  it('the error of a custom section that fails names the section, its function and the line', async () => {
    const told: unknown[] = [];
    const here = String.raw`test/profiler/recorder\.test\.[jt]s:\d+`;
    const fail = (): never => {
      throw new Error('broken part');
    };
    const cases: readonly (readonly [Section, string])[] = [
      [{ id: 'own', collect: fail }, `collect of the section “own” failed: Error: broken part at .*${here}`],
      [
        { id: 'own', collect: async () => fail() },
        'collect of the section “own” failed: TypeError: It returned a promise',
      ],
      [
        { id: 'own', collect: () => 1, numbers: { n: { kind: 'count', of: fail } } },
        `numbers of the section “own” failed: Error: broken part at .*${here}`,
      ],
      [
        { id: 'own', collect: () => 1, timeline: fail },
        `timeline of the section “own” failed: Error: broken part at .*${here}`,
      ],
      [
        { id: 'own', collect: () => 1, findings: () => ({ text: 'x' }) as never }, // as untyped programs may do
        'findings of the section “own” failed: TypeError: It did not return a list',
      ],
      [
        { id: 'own', collect: () => 1, findings: (async () => fail()) as never }, // as untyped programs may do
        'findings of the section “own” failed: TypeError: It returned a promise',
      ],
      [
        { id: 'own', collect: () => 1, timeline: (async () => fail()) as never }, // as untyped programs may do
        'timeline of the section “own” failed: TypeError: It returned a promise',
      ],
      [
        { id: 'own', collect: () => 1, numbers: { n: { kind: 'count', of: (async () => fail()) as never } } },
        'numbers of the section “own” failed: TypeError: It returned a promise',
      ],
      [
        { id: 'own', collect: () => 1, findings: () => [null as never] }, // as untyped programs may do
        'findings of the section “own” failed: TypeError: An item is no object',
      ],
    ];
    for (const [section, message] of cases) {
      const onFailure = (error: unknown): void => void told.push(error);
      await withProfiler(async (profiler) => void watchRequest(profiler), { sections: [section], onFailure });
      const [error] = told.splice(0);
      assert.ok(error instanceof Error);
      assert.match(error.message, new RegExp(`^${message}$`));
    }
  });

  it('of the spans and findings of a custom section, a bounded number that can be read is kept', async () => {
    const locked = new Proxy({}, { get: () => assert.fail('locked'), ownKeys: () => assert.fail('locked') });
    const bar = { name: 'sent', category: 'http', startMs: 0, durationMs: 1 } as const;
    const own: Section = {
      id: 'own',
      collect: () => 1,
      timeline: () => Array.from({ length: 10_000 }, () => bar),
      findings: () => [locked as never, { text: 'Kept' }], // as a program may return it
    };
    const onFailure = (): void => undefined;
    await withProfiler(
      async (profiler) => {
        const record = await getRecord(profiler, watchRequest(profiler));
        assert.equal(record.timeline.filter(({ section }) => section === 'own').length, 384);
        assert.ok(record.findings?.some(({ text }) => text === 'Kept'));
      },
      { sections: [own], onFailure },
    );
  });

  it('a log line is within the span in which it was written', async () => {
    await withProfiler(async (profiler) => {
      const id = registerSpan({ name: 'work', category: 'app' });
      const token = watchRequest(profiler, {
        during(recording) {
          for (let count = 0; count < 50; count++) {
            const index = recording.enter(id);
            recording.log(logOf(`in ${count}`));
            recording.leave(index);
          }
        },
      });
      const { logs, timeline, startedAt } = await getRecord(profiler, token);
      assert.equal(logs.length, 50);
      for (const [at, { offsetMs, time }] of logs.entries()) {
        const { startMs = 0, durationMs = 0 } = timeline[at] ?? {};
        assert.ok(offsetMs >= startMs && offsetMs <= startMs + durationMs, `line ${at}`);
        assert.equal(time, startedAt + offsetMs);
      }
    });
  });

  it('lists have the location of an error', async () => {
    await withProfiler(async (profiler) => {
      watchRequest(profiler, { during: (recording) => recording.error(new RangeError('too far')) });
      const [row] = (await profiler.list(parseQuery('has:error'))).rows;
      assert.deepEqual([row?.exception, row?.errorClass], ['too far', 'RangeError']);
      assert.match(row?.errorLocation ?? '', /recorder\.test\.[jt]s:\d+$/);
    });
  });

  it('an invalid request is recorded from the parts that it has', async () => {
    await withProfiler(async (profiler) => {
      const token = watchRequest(profiler, {
        source: { method: '', target: '', rawHeaders: ['Host', 'a', 'Host', 'b'], rawHead: 'G\0T / HTTP/9' },
        sent: { status: 400 },
      });
      const record = await getRecord(profiler, token);
      assert.equal(record.request.rawHead, 'G\0T / HTTP/9');
      assert.deepEqual(record.request.headers, [
        ['Host', 'a'],
        ['Host', 'b'],
      ]);
      assert.equal(record.request.clientAddress, '127.0.0.1');
    });
  });

  it('explains misses and matches within its time budget, and says when that is used up', async () => {
    await withProfiler(async (profiler) => {
      const trace = {
        method: 'GET',
        path: '/',
        host: 'h',
        scheme: 'http',
        outcome: 'match' as const,
        rows: [],
        omitted: 0,
        nearMisses: [],
      };
      const slow = (): typeof trace => {
        const end = performance.now() + 60;
        while (performance.now() < end);
        return trace;
      };
      const routed = (name: string | null): string =>
        watchRequest(profiler, { during: (recording) => recording.route({ name, path: null, trace: slow }) });
      const [first, second, miss] = [routed('a'), routed('a'), routed(null)];
      assert.deepEqual((await getRecord(profiler, first)).route?.trace, trace);
      const without = await getRecord(profiler, second);
      assert.equal(without.route?.trace, null);
      assert.ok(without.limits.some(({ what }) => what === 'routing trace'));
      assert.deepEqual((await getRecord(profiler, miss)).route?.trace, trace);
    });
  });
});

describe('record lists', () => {
  it('continue from page to page, through stored and pending records', async () => {
    await withProfiler(async (profiler) => {
      const tokens: string[] = [];
      for (let count = 0; count < 57; count++) {
        tokens.unshift(watchRequest(profiler, { source: { target: `/n/${count}` } }));
        if (count % 10 === 0) await profiler.flush();
      }
      watchRequest(profiler, { origin: 'profiler' });
      const seen: string[] = [];
      let before: string | undefined;
      do {
        const page = await profiler.list({ limit: 7, ...(before === undefined ? {} : { before }) });
        assert.ok(page.complete && page.rows.length <= 7);
        seen.push(...page.rows.map(({ token }) => token));
        before = page.next ?? undefined;
      } while (before !== undefined);
      assert.deepEqual(seen, tokens);
      assert.equal((await profiler.list({ origin: 'profiler' })).rows.length, 1);
    });
  });

  it('match every condition and its negation, before and after storing', async () => {
    await withProfiler(async (profiler) => {
      const add = (
        target: string,
        status: number,
        source: object = {},
        route?: string,
        thrown?: boolean,
      ): string =>
        watchRequest(profiler, {
          source: { target, ...source },
          sent: { status },
          during(recording) {
            if (route !== undefined) recording.route({ name: route, path: target });
            if (thrown === true) recording.error(new Error('x'));
          },
        });
      const a = add('/a?q=Find', 200, {}, 'home');
      const b = add('/b', 404, { method: 'POST' }, undefined, true);
      const c = add('/c', 500, { peer: { address: '10.1.2.3', port: 1, encrypted: false } }, 'other', true);
      const check = async (): Promise<void> => {
        const rows = async (query: Parameters<Profiler['list']>[0]): Promise<string[]> =>
          (await profiler.list(query)).rows.map(({ token }) => token);
        assert.deepEqual(await rows({}), [c, b, a]);
        const found = (query: string): Promise<string[]> => rows({ where: parseQuery(query).where });
        assert.deepEqual(await found('method:post'), [b]);
        assert.deepEqual(await found('-method:POST'), [c, a]);
        assert.deepEqual(await found('status:404'), [b]);
        assert.deepEqual(await found('status:4xx'), [b]);
        assert.deepEqual(await found('status:!200'), [c, b]);
        assert.deepEqual(await found('find'), [a]);
        assert.deepEqual(await found('-/B'), [c, a]);
        assert.deepEqual(await found('route:home'), [a]);
        assert.deepEqual(await found('-route:home'), [c, b]);
        assert.deepEqual(await found('ip:10.1'), [c]);
        assert.deepEqual(await found('-ip:10.1'), [b, a]);
        assert.deepEqual(await rows({ token: b }), [b]);
        assert.deepEqual(await found('has:error'), [c, b]);
        assert.deepEqual(await found('-has:error'), [a]);
        assert.deepEqual(await found(`after:${Date.now() + 60_000}`), []);
        assert.deepEqual(await found('before:1m'), []);
        assert.deepEqual(await rows({ where: parseQuery('after:1m').where, limit: 1 }), [c]);
        assert.deepEqual(await rows({ before: a }), []);
        assert.deepEqual(await rows({ before: 'nonsense' }), []);
      };
      await check();
      await profiler.flush();
      await check();
    });
  });

  it('find a request by an error that came after its record was closed, stored or not', async () => {
    await withProfiler(async (profiler) => {
      let late: Recording | undefined;
      const token = watchRequest(profiler, { during: (recording) => (late = recording) });
      const other = watchRequest(profiler);
      late?.lateError(new RangeError('too late'));
      for (let time = 0; time < 2; time++) {
        const [row, ...rest] = (await profiler.list(parseQuery('has:error'))).rows;
        assert.deepEqual(
          [row?.token, row?.exception, row?.errorClass, rest],
          [token, 'too late', 'RangeError', []],
        );
        const without = (await profiler.list(parseQuery('-has:error'))).rows.map((one) => one.token);
        assert.deepEqual(without, [other]);
        await profiler.flush();
      }
    });
  });

  it('P7: report the state of a token', async () => {
    await withProfiler(
      async (profiler) => {
        assert.deepEqual(await profiler.find('latest'), { kind: 'never' });
        const token = watchRequest(profiler);
        watchRequest(profiler);
        await profiler.flush();
        assert.deepEqual(await profiler.find(token), { kind: 'pruned', by: 'count' });
        assert.deepEqual(await profiler.find('NOTHEX'), { kind: 'malformed' });
        assert.deepEqual(await profiler.find('abcdef0123456789'), { kind: 'never' });
        await profiler.purge('app');
        assert.equal((await profiler.list()).rows.length, 0);
      },
      { retention: { records: 1 } },
    );
  });
});

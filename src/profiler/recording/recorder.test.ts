import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor, dump, redactedMark } from '#core/dump';
import { flattenError } from '#core/errors';
import { HttpRequest, HttpResponse, type RequestSource, type SentResponse } from '#core/http';
import type { LogRecord } from '#core/log';
import { registerSpan } from './span-list.js';
import type { Section } from '../sections/section.js';
import type { BeginOptions } from '../model/profiler.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import { decodeRecords } from '../encoding/record-format.js';
import type { EncodedBatch } from '../encoding/encoded-record.js';
import { toRecords } from '../encoding/to-record.js';
import { converter } from '../storage/writer/converter.js';
import { spanKinds } from './span-list.js';
import { type Batch, BatchBuffer, type Unlocated } from './batch-buffer.js';
import { tokenOf } from '../encoding/token.js';
import type { Amendments } from '../encoding/amendments.js';
import { maxOpen, OpenRecordings, Recorder } from './recorder.js';
import { recorderLimits, type RecorderLimits } from './recorder-services.js';
import type { RequestRecording } from './request-recording.js';
import { Sampler, type SampleOptions } from './sampling.js';
import { TraceBudget } from './trace-budget.js';

interface Options {
  readonly sections?: readonly Section[];
  readonly limits?: Partial<RecorderLimits>;
  readonly batch?: ConstructorParameters<typeof BatchBuffer>[2];
  readonly sample?: SampleOptions;
  readonly handOver?: ConstructorParameters<typeof BatchBuffer>[0];
}

const runtime = {
  memory: { rss: 1, heapUsed: 2, heapTotal: 3, external: 4 },
  eventLoop: { meanDelayMs: 0, maxDelayMs: 0, utilization: 0 },
};
const fine: SentResponse = { status: 200, headers: [], bodyBytes: 0, completed: true };

function requestOf(changes: Partial<RequestSource> = {}): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target: '/hello',
    rawHeaders: ['Host', 'a.test'],
    httpVersion: '1.1',
    peer: { address: '10.0.0.9', port: 40_000, encrypted: false },
    ...changes,
  });
}

const benches: Bench[] = [];
afterEach(() => {
  for (const { recorder, buffer } of benches.splice(0)) {
    recorder.abandon();
    buffer.close();
  }
});

/** A recorder with everything it needs, and the batches it handed over. */
class Bench {
  readonly batches: Batch[] = [];
  readonly failures: unknown[] = [];
  readonly late: { readonly id: number; readonly notes: Amendments }[] = [];
  readonly recorder: Recorder;
  readonly buffer: BatchBuffer;
  /** Whether controllers are located when their batch is handed over. */
  isEarly = false;
  readonly #source: Parameters<typeof toRecords>[2];
  #id = 0;

  constructor({ sections = [], limits, batch, sample = {}, handOver }: Options = {}) {
    benches.push(this);
    const redactor = createRedactor();
    const bounds = { ...recorderLimits, ...limits };
    const failed = (error: unknown): void => void this.failures.push(error);
    this.buffer = new BatchBuffer(handOver ?? ((ready) => void this.batches.push(...ready)), failed, {
      records: 1000,
      length: 10 ** 9,
      delayMs: 60_000,
      ...batch,
    });
    const config = { node: 'v20', instance: 'web-1:7', version: '1' };
    const settings = { redaction: {}, config, limits: bounds, hasSinks: false };
    this.#source = converter.createSource({ settings, lasting: {} }, { kinds: spanKinds(), failed });
    this.recorder = new Recorder({
      redactor,
      limits: bounds,
      flatten: {},
      snapshot: (value) => dump(value, { redactor }),
      traces: new TraceBudget(),
      late: (id, notes) => void this.late.push({ id, notes }),
      failed,
      sections,
      buffer: this.buffer,
      locatesLater: () => this.isEarly,
      nextName: () => ({ id: ++this.#id, token: tokenOf(this.#id) }),
      sample: () => ({ runtime, at: performance.now(), epoch: 1_700_000_000_000 }),
      sampler: new Sampler(sample),
    });
  }

  begin(source: Partial<RequestSource> = {}, options: BeginOptions = {}): RequestRecording {
    return this.recorder.begin(requestOf(source), options);
  }

  end(recording: RequestRecording, sent: Partial<SentResponse> = {}, body?: string): void {
    this.recorder.finish(recording, new HttpResponse(body ?? null), { ...fine, ...sent });
  }

  /** One request from its beginning to its end. */
  watch(
    during: (recording: RequestRecording) => void = () => {},
    source: Partial<RequestSource> = {},
  ): RequestRecording {
    const recording = this.begin(source);
    during(recording);
    this.end(recording);
    return recording;
  }

  /** Everything handed over, after flushing the rest. */
  get written(): { readonly row: ProfileSummary; readonly record: ProfileRecord }[] {
    this.buffer.flush();
    return this.batches.flatMap((batch) => this.read(batch));
  }

  read(lines: EncodedBatch): { readonly row: ProfileSummary; readonly record: ProfileRecord }[] {
    return toRecords(lines, 0, this.#source).map(({ record, summary }) => ({ record, row: summary }));
  }

  get only(): { readonly row: ProfileSummary; readonly record: ProfileRecord } {
    const [first, ...rest] = this.written;
    assert.ok(first !== undefined && rest.length === 0);
    return first;
  }

  /** Every record that was begun is accounted for. */
  checkAccounts(): void {
    const { made, unrecordable } = this.recorder;
    this.buffer.flush();
    const handedOver = this.batches.reduce((sum, { records }) => sum + records, 0);
    assert.equal(made, handedOver + unrecordable);
  }
}

const line = (level: LogRecord['level'], message: string, context?: unknown): LogRecord => ({
  time: 5,
  level,
  channel: 'app',
  message,
  context,
});

describe('a request that fails without an exception', () => {
  const messageOf = (status: number, ...lines: LogRecord[]): string | undefined => {
    const bench = new Bench();
    const recording = bench.begin();
    for (const one of lines) recording.log(one);
    bench.end(recording, { status });
    return bench.only.record.exception?.errors.at(-1)?.message;
  };

  const first = new Error('first');

  it('has the first error that was logged', () => {
    const second = new Error('second');
    const [warned, one, two] = [
      line('warning', 'slow', { error: second }),
      line('error', 'failed', { values: ['a', first] }),
      line('error', 'failed', { error: second }),
    ];
    assert.equal(messageOf(500, warned, one, two), 'first');
    assert.equal(messageOf(500, line('error', 'failed', second)), 'second');
    assert.equal(messageOf(200, one), undefined);
    assert.equal(messageOf(500, line('error', 'no error at all', { a: 1 })), undefined);
  });

  it("has the error's name and message if its stack was logged as text, without the logger's prefix", () => {
    const calls = '\n    at page (/app.js:1:2)\n    at more (/app.js:3:4)';
    for (const [text, ...expected] of [
      ['TypeError: of a page', 'TypeError', 'of a page'],
      ['21:52:53 [ERROR] Error: of a page', 'Error', 'of a page'],
      [
        '\n\u001B[1;31m[500] GET /broken\u001B[0m\nPageException: of: a\npage',
        'PageException',
        'of: a\npage',
      ],
      ['[vite] internal error of a page\n', 'Error', '[vite] internal error of a page'],
      ['ERROR: of a page', 'Error', 'ERROR: of a page'],
    ] as const) {
      const bench = new Bench();
      const recording = bench.begin();
      recording.log(line('error', text + calls));
      bench.end(recording, { status: 503 });
      const [error] = bench.only.record.exception?.errors ?? [];
      assert.deepEqual([error?.class, error?.message], expected, text);
      assert.deepEqual(
        error?.frames.map(({ function: name }) => name),
        ['page', 'more'],
        text,
      );
    }
  });

  it('finds the error in a log line quickly, no matter how large a logged result is', () => {
    const rows = [first];
    rows[2 ** 28] = first;
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    const startedAt = performance.now();
    assert.equal(messageOf(500, line('error', 'failed', { proxy, rows, bytes: Buffer.alloc(1e7) })), 'first');
    assert.equal(messageOf(500, line('error', 'failed', rows)), 'first');
    assert.equal(messageOf(500, line('error', 'failed', Buffer.alloc(1e7))), undefined);
    assert.ok(performance.now() - startedAt < 1000);
  });
});

describe("a recorder's counts", () => {
  it('add up after any sequence of beginnings, ends, flushes and failures', () => {
    const step = fc.constantFrom(
      'begin',
      'end',
      'abort',
      'flush',
      'pending',
      'break',
      'profiler',
      'snapshot',
      'trial',
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (steps, records) => {
        const bench = new Bench({ batch: { records }, sample: { rate: 0 } });
        const open: RequestRecording[] = [];
        let kept = 0;
        for (const one of steps) {
          if (one === 'begin') open.push(bench.begin());
          if (one === 'profiler') open.push(bench.begin({}, { origin: 'profiler' }));
          if (one === 'trial') open.push(bench.begin({}, { isTailSampled: true }));
          if (one === 'flush') bench.buffer.flush();
          if (one === 'snapshot') bench.recorder.snapshotOf(open[0]?.id ?? -1);
          if (one === 'end' || one === 'abort' || one === 'break') {
            const recording = open.shift();
            if (recording === undefined) continue;
            if (one === 'break') recording.limits = [null as never]; // cannot be encoded
            bench.end(recording, { completed: one === 'end', status: 200 });
            if (!recording.isTailSampled) kept++;
          }
          assert.equal(bench.recorder.openCount, open.length);
          bench.checkAccounts();
        }
        assert.equal(bench.recorder.made, kept);
        bench.recorder.abandon();
        bench.checkAccounts();
        assert.deepEqual([bench.recorder.openCount, bench.buffer.waiting], [0, 0]);
        const ids = bench.batches.flatMap((batch) =>
          Array.from(decodeRecords(batch.data), ({ raw }) => raw.id),
        );
        assert.equal(new Set(ids).size, ids.length);
        for (const { least, greatest, origin } of bench.batches)
          assert.ok(least > 0 && least <= greatest && /^(app|profiler)$/.test(origin));
      }),
      { numRuns: 60 },
    );
  });

  it('include records that could not be handed over', () => {
    const bench = new Bench({
      handOver: () => {
        throw new Error('full');
      },
    });
    for (let count = 0; count < 3; count++) bench.watch();
    bench.buffer.flush();
    assert.deepEqual([bench.recorder.made, bench.buffer.lost, bench.buffer.waiting], [3, 3, 0]);
    assert.equal(bench.failures.length, 1);
  });

  it('include records that could not be encoded', () => {
    const bench = new Bench();
    bench.watch((recording) =>
      recording.controller({ name: 'c', location: () => assert.fail('no place') }, []),
    );
    assert.equal(bench.written.length, 0);
    assert.deepEqual([bench.recorder.unrecordable, bench.failures.length], [1, 1]);
    bench.checkAccounts();
  });

  it('count a request once, no matter who ends it or how often', () => {
    const bench = new Bench();
    const recording = bench.watch();
    bench.end(recording, { status: 500 });
    bench.recorder.finish({ token: recording.token } as never, undefined, undefined); // a foreign recording
    assert.equal(bench.recorder.made, 1);
    assert.equal(bench.only.row.status, 200);
  });
});

describe('handing over batches', () => {
  it('happens after a number of records or bytes', () => {
    const byCount = new Bench({ batch: { records: 20 } });
    for (let count = 0; count < 47; count++) byCount.watch();
    assert.deepEqual(
      byCount.batches.map(({ records }) => records),
      [20, 20],
    );
    byCount.buffer.flush();
    assert.deepEqual(
      byCount.batches.map(({ records }) => records),
      [20, 20, 7],
    );
    const byLength = new Bench({ batch: { length: 1 } });
    for (let count = 0; count < 16; count++) byLength.watch();
    assert.equal(byLength.batches.length, 16);
  });

  it('happens for several full batches together, and a batch has at most 128 records', () => {
    const messages: number[][] = [];
    const bench = new Bench({
      batch: { records: 300 },
      handOver: (ready) => void messages.push(ready.map(({ records }) => records)),
    });
    for (let count = 0; count < 299; count++) bench.watch();
    assert.deepEqual([messages, bench.buffer.waiting], [[], 299]);
    bench.watch();
    assert.deepEqual([messages, bench.buffer.waiting], [[[128, 128, 44]], 0]);
    for (let count = 0; count < 128; count++) bench.watch();
    bench.buffer.flush();
    assert.deepEqual(messages[1], [128]);
  });

  it('happens at once if a full batch contains a failed request', () => {
    const bench = new Bench();
    bench.end(bench.begin(), { status: 503 });
    for (let count = 0; count < 126; count++) bench.watch();
    assert.equal(bench.batches.length, 0);
    bench.watch();
    assert.deepEqual(
      bench.batches.map(({ records, isUrgent }) => [records, isUrgent]),
      [[128, true]],
    );
  });

  it('includes full batches in the delay', async () => {
    const records = await new Promise<readonly number[]>((resolve) => {
      const bench = new Bench({
        batch: { delayMs: 1 },
        handOver: (ready) => resolve(ready.map((batch) => batch.records)),
      });
      for (let count = 0; count < 128; count++) bench.watch();
    });
    assert.deepEqual(records, [128]);
  });

  it('of one origin does not affect the other', () => {
    const bench = new Bench({ batch: { records: 2 } });
    bench.end(bench.begin({}, { origin: 'profiler' }));
    for (let count = 0; count < 2; count++) bench.watch();
    assert.deepEqual(
      bench.batches.map(({ origin, records }) => [origin, records]),
      [['app', 2]],
    );
    assert.equal(bench.buffer.waiting, 1);
  });

  it('has the places of controllers that are located only then, because it was too early when the requests ended', () => {
    let handedOver:
      | { readonly batches: readonly Batch[]; readonly unlocated: readonly Unlocated[] }
      | undefined;
    const bench = new Bench({ handOver: (batches, unlocated) => (handedOver = { batches, unlocated }) });
    bench.isEarly = true;
    let asked = 0;
    const location = (): { file: string; line: number } => ({ file: '/app.js', line: ++asked });
    bench.watch((recording) => recording.controller({ name: 'first', location }, []));
    bench.watch();
    bench.watch((recording) => recording.controller({ name: 'second', location }, [1]));
    bench.buffer.flush();
    assert.equal(asked, 0);
    const {
      batches: [batch = assert.fail()],
      unlocated,
    } = handedOver ?? assert.fail();
    const controllersOf = (read: EncodedBatch): unknown[] =>
      bench.read(read).map(({ record: { controller } }) => controller && [controller.file, controller.line]);
    assert.deepEqual(controllersOf(batch), [[null, null], null, [null, null]]);
    const places = unlocated.map(({ id, locate }) => ({ id, ...(locate() ?? assert.fail()) }));
    assert.deepEqual(controllersOf({ ...batch, places }), [['/app.js', 1], null, ['/app.js', 2]]);
  });

  it('happens automatically after the delay', async () => {
    let bench: Bench | undefined;
    const batch = await new Promise<Batch | undefined>((resolve) => {
      bench = new Bench({ batch: { delayMs: 1 }, handOver: ([first]) => resolve(first) });
      bench.watch();
      assert.equal(bench.buffer.waiting, 1);
    });
    assert.deepEqual([batch?.records, batch?.isUrgent, bench?.buffer.waiting], [1, false, 0]);
  });

  it('of a failed request does not wait for others', async () => {
    const batch = await new Promise<Batch | undefined>((resolve) => {
      const bench = new Bench({ batch: { urgentMs: 1 }, handOver: ([first]) => resolve(first) }); // others wait a minute
      bench.watch();
      bench.end(bench.begin(), { status: 503 });
    });
    assert.deepEqual([batch?.records, batch?.isUrgent, batch?.isNotable], [2, true, true]);
  });

  it('of a slow request has priority over others, but waits with them', (context) => {
    const handedOver: Batch[] = [];
    const bench = new Bench({ handOver: (ready) => void handedOver.push(...ready) });
    const recording = bench.begin();
    const now = performance.now();
    context.mock.method(performance, 'now', () => now + 1500);
    bench.end(recording);
    bench.buffer.flush();
    assert.deepEqual(
      handedOver.map(({ isUrgent, isNotable }) => [isUrgent, isNotable]),
      [[false, true]],
    );
  });
});

describe('requests in flight', () => {
  it('are found by id, newest first, by origin and age', () => {
    const bench = new Bench();
    const all = Array.from({ length: 5 }, (_, at) => bench.begin({}, at === 2 ? { origin: 'profiler' } : {}));
    const [first, second, third, fourth, fifth] = all.map(({ id }) => id);
    assert.deepEqual(bench.recorder.inFlight('app', { ms: 0, limit: 10 }), [fifth, fourth, second, first]);
    assert.deepEqual(bench.recorder.inFlight('app', { ms: 0, limit: 2 }), [fifth, fourth]);
    assert.deepEqual(bench.recorder.inFlight('profiler', { ms: 0, limit: 10 }), [third]);
    assert.deepEqual(bench.recorder.inFlight('app', { ms: 60_000, limit: 10 }), []);
    for (const recording of all.slice(1, 4)) bench.end(recording);
    assert.deepEqual(bench.recorder.inFlight('app', { ms: 0, limit: 10 }), [fifth, first]);
    assert.deepEqual([bench.recorder.isOpen(first ?? 0), bench.recorder.isOpen(second ?? 0)], [true, false]);
  });

  it('beyond the limit, because a caller leaks them, drop the oldest', () => {
    const bench = new Bench();
    const [first, second] = [bench.begin(), bench.begin()];
    for (let more = 2; more < maxOpen; more += 1) bench.begin();
    assert.equal(first.isClosed, false);
    bench.begin();
    assert.deepEqual([first.isClosed, second.isClosed], [true, false]);
    assert.equal(bench.only.record.response?.completed, false);
    bench.checkAccounts();
  });

  it('consume no sequence number when viewed', () => {
    const bench = new Bench();
    const recording = bench.begin();
    const looks = [1, 2].map(() => bench.recorder.snapshotOf(recording.id) ?? assert.fail());
    assert.deepEqual(
      looks.map((look) => bench.read(look)[0]?.row.sequence),
      [1, 1],
    );
    bench.end(recording);
    assert.equal(bench.only.row.sequence, 1);
  });

  it('can be viewed, and continue unchanged', () => {
    let asked = 0;
    const bench = new Bench({ sections: [{ id: 'own', collect: () => ({ asked: ++asked }) }] });
    const recording = bench.begin({ target: '/slow' });
    recording.section('early', { a: 1 });
    const { record: seen } =
      bench.read(bench.recorder.snapshotOf(recording.id) ?? assert.fail())[0] ?? assert.fail();
    assert.deepEqual(
      [seen.state, seen.response, { ...seen.sections }],
      ['unfinished', null, { early: { a: 1 }, own: { asked: 1 } }],
    );
    assert.deepEqual([bench.recorder.made, bench.buffer.waiting, bench.recorder.openCount], [0, 0, 1]);
    bench.end(recording);
    const { record } = bench.only;
    assert.deepEqual(
      [record.state, { ...record.sections }],
      ['complete', { early: { a: 1 }, own: { asked: 2 } }],
    );
    assert.equal(bench.recorder.snapshotOf(recording.id), undefined);
  });

  it('that are abandoned are written as unfinished', () => {
    const bench = new Bench();
    const recording = bench.begin();
    recording.enter(registerSpan({ name: 'never left', category: 'test' }));
    bench.recorder.abandon();
    const { row, record } = bench.only;
    assert.deepEqual([row.state, row.status, record.response], ['unfinished', 0, null]);
    assert.equal(record.timeline[0]?.open, true);
    assert.equal(recording.isClosed, true);
  });

  it('that ended early are aborted', () => {
    const bench = new Bench();
    bench.end(bench.begin(), { completed: false });
    assert.deepEqual([bench.only.row.state, bench.only.record.response?.completed], ['aborted', false]);
  });
});

describe('tail-sampled recordings', () => {
  const kept = (sample: SampleOptions, sent: Partial<SentResponse>, thrown?: Error): boolean => {
    const bench = new Bench({ sample });
    const recording = bench.begin({}, { isTailSampled: true });
    if (thrown !== undefined) recording.error(thrown);
    bench.end(recording, sent);
    assert.equal(bench.recorder.made + bench.recorder.sampledOut, 1);
    assert.equal(bench.recorder.openCount, 0);
    assert.equal(recording.isClosed, true);
    return bench.recorder.made === 1;
  };

  it('are kept only if the request failed or was slow', () => {
    assert.equal(kept({ rate: 0 }, { status: 200 }), false);
    assert.equal(kept({ rate: 0 }, { status: 404 }), false);
    assert.equal(kept({ rate: 0 }, { status: 500 }), true);
    assert.equal(kept({ rate: 0 }, { status: 404 }, new Error('missed')), false);
    assert.equal(kept({ rate: 0 }, { status: 200 }, new Error('behind it')), true);
    assert.equal(kept({ rate: 0, errors: false }, { status: 500 }), false);
    assert.equal(kept({ rate: 0, slowMs: 0 }, { status: 200 }), true);
    assert.equal(kept({ rate: 0, slowMs: false }, { status: 200 }), false);
  });
});

describe("a record's limits", () => {
  const limits: Partial<RecorderLimits> = {
    parameters: 3,
    sections: 2,
    message: 10,
    logs: 10,
    section: 200,
  };
  const limitsOf = (
    during: (recording: RequestRecording, bench: Bench) => void,
  ): Record<string, readonly number[]> => {
    const bench = new Bench({ limits });
    bench.watch((recording) => during(recording, bench));
    const [{ record } = assert.fail('nothing was written')] = bench.written;
    return Object.fromEntries(
      record.limits.map(({ what, kept, total, limit }) => [what, [kept, total, limit]]),
    );
  };

  it('cut route parameters, with an entry', () => {
    const parameters = { a: 1, b: 2, c: 3, d: 4, e: 5 };
    const found = limitsOf((recording) => recording.route({ name: 'r', path: '/' }, parameters));
    assert.deepEqual(found, { 'route parameters': [3, 5, 3] });
    assert.deepEqual(
      limitsOf((recording) =>
        recording.route({ name: 'r', path: '/', names: ['a', 'b', 'c', 'no'] }, parameters),
      ),
      {},
    );
  });

  it('cut controller arguments, with an entry', () => {
    const found = limitsOf((recording) => recording.controller({ name: 'c' }, [1, 2, 3, 4]));
    assert.deepEqual(found, { arguments: [3, 4, 3] });
    assert.deepEqual(
      limitsOf((recording) => recording.controller({ name: 'c' }, [1, 2, 3])),
      {},
    );
  });

  it('cut sections, with an entry', () => {
    const found = limitsOf((recording) => {
      for (const name of ['a', 'b', 'a', 'c', 'd']) recording.section(name, 1);
    });
    assert.deepEqual(found['sections'], [2, 4, 2]);
  });

  it("cut a section's size, with an entry", () => {
    const found = limitsOf((recording) => recording.section('big', ['x'.repeat(300)]));
    assert.deepEqual(found['section big'], [200, 201, 200]);
  });

  it('cut request and response headers', () => {
    const bench = new Bench();
    const many = Array.from({ length: 300 }, (_, at) => [`X-${at}`, '1']).flat();
    const recording = bench.begin({ rawHeaders: ['Host', 'a.test', ...many] });
    bench.end(recording, { headers: many });
    const { record } = bench.only;
    assert.deepEqual([record.request.headers.length, record.response?.headers.length], [256, 256]);
    assert.deepEqual(
      record.limits.map(({ what, kept, total }) => [what, kept, total]),
      [
        ['request headers', 256, 301],
        ['response headers', 256, 300],
      ],
    );
  });

  it('cut header, message and target texts, which are marked themselves', () => {
    const bench = new Bench({ limits });
    bench.watch((recording) => recording.log(line('info', 'a message of more than ten')), {
      target: `/${'x'.repeat(20_000)}`,
      rawHeaders: ['Host', 'a.test', 'X-Long', 'y'.repeat(20_000)],
    });
    const { row, record } = bench.only;
    assert.equal(record.logs[0]?.message, 'a message … [cut]');
    assert.match(row.path, /^\/x{16383}… \[cut\]$/);
    assert.match(record.request.headers[1]?.[1] ?? '', /^y{16384}… \[cut\]$/);
  });
});

describe('a failure in foreign code only loses its own part:', () => {
  const broken = (): never => {
    throw new Error('broken');
  };

  it('a section number that JSON cannot represent is replaced, and the record is kept', () => {
    const given = { big: 10n, text: '12', endless: Infinity, list: [1, 2], mark: Symbol('s') };
    const summary = Object.fromEntries(
      Object.entries(given).map(
        ([name, value]) => [name, { kind: 'count', of: (): never => value as never }] as const,
      ), // as in JavaScript
    );
    const bench = new Bench({ sections: [{ id: 'own', numbers: summary, collect: () => 1 }] });
    bench.watch();
    assert.deepEqual(bench.only.row.collected, {
      'own.big': 10,
      'own.text': 12,
      'own.endless': 0,
      'own.list': 0,
      'own.mark': 0,
    });
    assert.equal(bench.recorder.unrecordable, 0);
  });

  it('a section number that cannot be read is 0, and the record is kept', () => {
    const bench = new Bench({
      sections: [
        {
          id: 'sms',
          numbers: { sent: { kind: 'count', of: broken }, bytes: { kind: 'count', of: () => 7 } },
          collect: () => ({ sent: 1 }),
        },
      ],
    });
    bench.watch();
    const { row, record } = bench.only;
    assert.deepEqual(row.collected, { 'sms.sent': 0, 'sms.bytes': 7 });
    assert.deepEqual({ ...record.sections }, { sms: { sent: 1 } });
    assert.deepEqual([bench.recorder.unrecordable, bench.failures.length], [0, 1]);
  });

  it('more findings than 10 of one section: only the first 10 are kept', () => {
    const findings = Array.from({ length: 50 }, (_, at) => ({
      level: 'warn' as const,
      text: `finding ${at}`,
    }));
    const bench = new Bench({ sections: [{ id: 'own', collect: () => 1, findings: () => findings }] });
    bench.watch();
    const own = (bench.only.record.findings ?? []).filter(({ text }) => text.startsWith('finding '));
    assert.deepEqual(
      own.map(({ text }) => text),
      findings.slice(0, 10).map(({ text }) => text),
    );
  });

  it('a section, a timeline, a number, a finding', () => {
    const bench = new Bench({
      sections: [
        { id: 'a', collect: broken },
        { id: 'b', timeline: broken, collect: () => 1 },
        { id: 'c', numbers: { n: { kind: 'count', of: broken } }, findings: broken, collect: () => 2 },
        { id: 'd', collect: () => 'fine' },
      ],
    });
    bench.watch();
    assert.deepEqual({ ...bench.only.record.sections }, { b: 1, c: 2, d: 'fine' });
    assert.equal(bench.failures.length, 4);
    bench.checkAccounts();
  });
});

describe('data after the end of a request', () => {
  it('is kept next to the record: warnings and errors, once', () => {
    const bench = new Bench();
    const recording = bench.watch();
    recording.log(line('info', 'too little'));
    recording.log(line('warning', 'late password=hunter22', { token: 'hunter2' }));
    recording.lateError(new RangeError('later'));
    recording.lateError(new Error('even later'));
    const { record } = bench.only;
    const logs = bench.late.flatMap(({ notes }) => notes.logs ?? []);
    assert.deepEqual(
      logs.map(({ level, message }) => [level, message]),
      [['warning', `late password=${redactedMark}`]],
    );
    assert.doesNotMatch(JSON.stringify(logs), /hunter2/);
    const [error] = bench.late.flatMap(({ notes }) => notes.exception ?? []);
    assert.equal(error?.class, 'RangeError');
    assert.ok(bench.late.every(({ id }) => id === recording.id));
    assert.deepEqual([record.exception, record.logs.length], [null, 0]);
  });

  it('does not change the record', () => {
    const bench = new Bench();
    const recording = bench.watch((one) => one.route({ name: 'r', path: '/r' }));
    const id = registerSpan({ name: 'after the end', category: 'test' });
    assert.equal(recording.enter(id), -1);
    recording.leave(0);
    recording.route({ name: 'other', path: '/other' });
    recording.controller({ name: 'other' }, []);
    recording.error(new Error('other'));
    recording.user('other');
    recording.unreadBody();
    recording.requestBody('other');
    recording.responseBody('other');
    recording.sentBytes(Buffer.from('other'));
    recording.section('other', 1);
    const { row, record } = bench.only;
    assert.deepEqual(
      [
        row.route,
        row.user,
        record.controller,
        record.exception,
        record.timeline.length,
        { ...record.sections },
      ],
      ['r', null, null, null, 0, {}],
    );
    assert.deepEqual([record.request.body, record.response?.body], [null, null]);
  });

  it("becomes the record's error if thrown after the response, while the record is open and has none", async () => {
    const bench = new Bench();
    bench.watch((recording) => {
      recording.lateError(new RangeError('first'));
      recording.lateError(new Error('second'));
    });
    assert.equal(bench.only.row.errorClass, 'RangeError');
    const own = new Bench();
    const report = await flattenError(new TypeError('the answer'));
    own.watch((recording) => {
      recording.error(undefined, report);
      recording.lateError(new Error('behind it'));
    });
    assert.equal(own.only.row.errorClass, 'TypeError');
  });
});

describe("a request's row", () => {
  it('has no body if none was sent with the response', () => {
    const bench = new Bench();
    bench.end(bench.begin({ method: 'HEAD' }), { bodyBytes: 0 }, 'left out');
    bench.end(bench.begin(), { bodyBytes: 4 }, 'sent');
    const bodies = bench.written.map(({ record }) => record.response?.body);
    assert.deepEqual(
      bodies.map((body) => body && [body.bytes, body.content]),
      [null, [4, 'sent']],
    );
  });

  it('has its log counts by level', () => {
    const bench = new Bench();
    bench.watch((recording) => {
      for (const level of ['debug', 'info', 'warning', 'warning', 'error', 'critical'] as const)
        recording.log(line(level, 'm'));
    });
    const { row } = bench.only;
    assert.deepEqual([row.logs, row.warnings, row.errors], [6, 4, 2]);
  });

  it('has the existing route parameters, in order', () => {
    const bench = new Bench();
    const names = ['slug', 'page', 'b'];
    bench.watch((recording) => recording.route({ name: 'r', path: '/', names }, { b: 'x', slug: 'soup' }));
    assert.deepEqual(
      bench.only.record.route?.parameters.map(({ name, value }) => [name, value.text]),
      [
        ['slug', 'soup'],
        ['b', 'x'],
      ],
    );
  });

  it('has a log line with an unknown level as info', () => {
    const bench = new Bench();
    bench.watch((recording) => recording.log(line('trace' as 'info', 'of the handler of another logger'))); // as it may return it
    assert.deepEqual([bench.only.record.logs[0]?.level, bench.only.row.logs], ['info', 1]);
  });

  it('has its own user, cut, and only as a text', () => {
    const bench = new Bench();
    bench.watch((recording) => {
      recording.user('u'.repeat(400));
      recording.user(5 as never); // someone else's code
    });
    assert.equal(bench.only.row.user, 'u'.repeat(300));
  });

  it('has sequence numbers from 1 on', () => {
    const bench = new Bench();
    for (let count = 0; count < 3; count++) bench.watch();
    assert.deepEqual(
      bench.written.map(({ row }) => row.sequence),
      [1, 2, 3],
    );
  });

  it('has no secret from a path whose parameter has a secret name', () => {
    const bench = new Bench();
    bench.watch(
      (recording) =>
        recording.route({ name: 'reset', path: '/reset/{token}' }, { token: 'S3cretOfThePath', page: '2' }),
      { target: '/reset/S3cretOfThePath?page=2' },
    );
    const { row, record } = bench.only;
    assert.match(row.path, /^\/reset\/\[redacted-[\da-f]{4}\]$/);
    assert.doesNotMatch(JSON.stringify([row, record]), /S3cret/);
  });
});

describe('OpenRecordings', () => {
  it('contains the records that were added and not removed, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 9 }), { maxLength: 60 }), (keys) => {
        const open = new OpenRecordings();
        const expected = new Map<number, RequestRecording>();
        for (const key of keys) {
          const known = expected.get(key);
          if (known === undefined) {
            const recording = { id: key } as RequestRecording; // everything the list reads, besides its own links
            expected.set(key, recording);
            open.add(recording);
          } else {
            expected.delete(key);
            open.remove(known);
          }
          assert.equal(open.size, expected.size);
          assert.equal(open.oldest, [...expected.values()][0]);
          for (let each = 0; each < 10; each++) assert.equal(open.find(each), expected.get(each));
        }
        const left = [...expected.values()];
        for (const recording of left) {
          assert.equal(open.oldest, recording);
          open.remove(recording);
        }
        assert.equal(open.size, 0);
      }),
    );
  });
});

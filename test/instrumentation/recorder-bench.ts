import assert from 'node:assert/strict';
import { HttpRequest } from '#core/http';
import type { ProfileRecord, Profiler } from '#profiler';
import { createProfiler, type DbSection, requestRecording } from '#profiler';
import { runInScope } from '#core/scope';

/** A profiler with all instrumentations' collectors, and requests for it. */
export interface RecorderBench {
  readonly profiler: Profiler;
  /** Runs `work` as a recorded request, and returns its record. */
  record(work: () => unknown, headers?: readonly string[]): Promise<ProfileRecord>;
  /** The same, but returns its token. */
  run(work: () => unknown, headers?: readonly string[]): Promise<string>;
  /** Runs `work` outside every request while another is recorded, and returns that one's record. */
  recordBeside(work: () => Promise<unknown>): Promise<ProfileRecord>;
  find(token: string): Promise<ProfileRecord>;
  close(): Promise<void>;
}

export function createRecorderBench(): RecorderBench {
  const profiler = createProfiler({
    store: 'memory:',
  });
  return {
    profiler,
    async record(work, headers) {
      return this.find(await this.run(work, headers));
    },
    async run(work, headers = []) {
      const request = new HttpRequest({
        method: 'GET',
        target: '/',
        rawHeaders: headers,
        httpVersion: '1.1',
        peer: { address: '127.0.0.1', port: 1, encrypted: false },
      });
      const recording = profiler.begin(request);
      request.scope.set(requestRecording, recording);
      await runInScope(request.scope, async () => work());
      profiler.finish(recording, undefined, { status: 200, headers: [], bodyBytes: 0, completed: true });
      return recording.token;
    },
    async recordBeside(work) {
      const ended = withResolvers();
      const running = this.run(() => ended.promise);
      try {
        await work();
      } finally {
        ended.resolve();
      }
      return this.find(await running);
    },
    async find(token) {
      const found = await profiler.find(token);
      assert.ok(found.kind === 'found');
      return found.record;
    },
    async close() {
      await profiler.close();
    },
  };
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** A record's `db` section; an empty one if there is none. */
export function dbOf(record: ProfileRecord): DbSection {
  const none = { queries: [], groups: [], changes: [], totals: { queries: 0 } };
  return (record.sections['db'] ?? none) as DbSection; // the type that the collector stores
}

import assert from 'node:assert/strict';
import { HttpRequest } from '#core/http';
import type { ProfileRecord, Profiler } from '#profiler';
import { createProfiler, type DbSection, requestRecording } from '#profiler';
import { runInScope } from '#core/scope';

/** A profiler with the collectors of all instrumentations, and requests for it. */
export interface RecorderBench {
  readonly profiler: Profiler;
  /** Runs work as a request that is recorded, and gives its record. */
  record(work: () => unknown, headers?: readonly string[]): Promise<ProfileRecord>;
  /** The same; gives its token. */
  run(work: () => unknown, headers?: readonly string[]): Promise<string>;
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

/** The `db` section of a record; an empty one where there is none. */
export function dbOf(record: ProfileRecord): DbSection {
  const none = { queries: [], groups: [], changes: [], totals: { queries: 0 } };
  return (record.sections['db'] ?? none) as DbSection; // what the collector gave
}

import { HttpRequest } from '#http';
import { createProfiler, type ProfileStore, type Segment, type StoreTally } from '#profiler';

const emptyTally: StoreTally = {
  pruned: { count: 0, age: 0, bytes: 0, purge: 0 },
  lost: 0,
  setAside: null,
  renamed: 0,
  records: 0,
  bytes: 0,
};

/** A request of a segment: its path, and the status of its response. */
export interface SampleRequest {
  readonly path: string;
  readonly status?: number;
}

/** Creates a segment as a profiler passes it to a store, with a record for each request; the caller must set the keys. */
export async function makeSegment(requests: readonly SampleRequest[]): Promise<Segment> {
  const segments: Segment[] = [];
  const profiler = createProfiler({ store: collectSegments(segments), storeName: 'none' });
  for (const { path, status = 200 } of requests) {
    const request = new HttpRequest({
      method: 'GET',
      target: path,
      rawHeaders: ['Host', 'localhost'],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    });
    const sent = { status, headers: [], bodyBytes: 0, completed: true };
    profiler.finish(profiler.begin(request), undefined, sent);
  }
  await profiler.close();
  const [segment] = segments;
  if (segment === undefined) throw new TypeError('A segment needs a request.');
  return segment;
}

/** Creates a store that only collects the segments written to it. */
function collectSegments(into: Segment[]): ProfileStore {
  let next = 0;
  const tally = (): Promise<StoreTally> => Promise.resolve(emptyTally);
  return {
    lease: (amount) => ({ secret: '', from: next, to: (next += amount) }),
    write(segments) {
      into.push(...segments);
      return tally();
    },
    find: () => Promise.resolve('missing'),
    search: () => Promise.resolve({ rows: [], next: null, complete: true }),
    prune: tally,
    tally,
    close: () => Promise.resolve(),
  };
}

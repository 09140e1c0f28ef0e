import type { RequestSource, ResponseBody, SentResponse } from '#core/http';
import { HttpRequest, HttpResponse } from '#core/http';
import type { Profiler, ProfileRecord, Recording } from '#profiler';

/** A request for tests; `changes` replaces parts of `GET /hello`. */
export function makeRequest(changes: Partial<RequestSource> = {}): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target: '/hello',
    rawHeaders: ['Host', '127.0.0.1:8000', 'Accept', '*/*'],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 40_000, encrypted: false },
    ...changes,
  });
}

/** Records one request from its beginning to its end; returns the token. */
export function watchRequest(
  profiler: Profiler,
  parts: {
    source?: Partial<RequestSource>;
    origin?: 'app' | 'profiler';
    during?: (recording: Recording) => void;
    body?: ResponseBody;
    sent?: Partial<SentResponse>;
  } = {},
): string {
  const request = makeRequest(parts.source);
  const recording = profiler.begin(request, parts.origin === undefined ? {} : { origin: parts.origin });
  parts.during?.(recording);
  const response = new HttpResponse(parts.body ?? null);
  const bodyBytes = typeof parts.body === 'string' ? Buffer.byteLength(parts.body) : 0;
  profiler.finish(recording, response, {
    status: 200,
    headers: [],
    bodyBytes,
    completed: true,
    ...parts.sent,
  });
  return recording.token;
}

export async function getRecord(profiler: Profiler, token: string): Promise<ProfileRecord> {
  const found = await profiler.find(token);
  if (found.kind !== 'found') throw new Error(`${token}: ${JSON.stringify(found)}`);
  return found.record;
}

/** Asserts that every record is accounted for, and returns the counters. */
export function addUp(profiler: Profiler): ReturnType<Profiler['counters']> {
  const counters = profiler.counters();
  const { made, stored, pruned, dropped, pending } = counters;
  const lost = Object.values(dropped).reduce((all, count) => all + count, 0);
  const found = stored + pruned + lost + pending;
  const negative = [stored, pending, pruned, ...Object.values(dropped)].some((n) => n < 0);
  if (made !== found || negative)
    throw new Error(`made ${made}, found ${found}: ${JSON.stringify(counters)}`);
  return counters;
}

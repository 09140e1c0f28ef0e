import { hidePathValues, type Redactor } from '#dump';
import type { HttpRequest } from '#http';
import type { ProfileSummary } from '../model/profile-summary.js';
import type { ClosedRecording } from './closed-recording.js';
import type { PackReader } from './pack-reader.js';
import type { PackWriter } from './pack-writer.js';
import type { SegmentFacts } from './segment-facts.js';
import { fromTicks, toTicks } from './ticks.js';

/** States by their number in a row. */
const states = ['complete', 'unfinished', 'aborted'] as const;
const longestTarget = 16_384;

/** A row of the list before its record has a token. */
export type Row = Omit<ProfileSummary, 'token'> & {
  readonly target: string;
  readonly origin: string;
};

/** Writes what lists show of a record, and adds to the facts what it is found by. */
export function writeRow(
  pack: PackWriter,
  closed: ClosedRecording,
  { redactor, facts }: { readonly redactor: Redactor; readonly facts: SegmentFacts },
): void {
  const { recording, sent } = closed;
  const { request, exception } = recording;
  const { shapes } = pack;
  const state = sent === undefined ? 1 : sent.completed ? 0 : 2;
  const { method, address, origin } = readFacts(request);
  const route = recording.routeNote?.name ?? null;
  const status = sent?.status ?? 0;
  shapes.begin();
  shapes.add(route);
  shapes.add(status);
  shapes.add(state + (exception === undefined ? 0 : 4) + (recording.bucket === 'profiler' ? 8 : 0));
  shapes.add(method);
  shapes.add(origin);
  shapes.add(address);
  shapes.add(recording.warnings);
  shapes.add(recording.logCount);
  shapes.add(recording.userName);
  shapes.add(recording.parent);
  pack.number(shapes.end());
  // Whoever has the shape of another has its facts.
  if (shapes.isNew) facts.add({ method, status, route, address, thrown: exception !== undefined });
  pack.number(closed.sequence);
  pack.number(Math.round(closed.startedAt * 1000));
  pack.number(toTicks(closed.end - recording.start));
  pack.string(cleanTarget(closed, redactor));
  if (exception !== undefined) pack.string(exception.message.slice(0, 500));
}

export function readRow(pack: PackReader): Row {
  const shape = pack.shape(pack.number());
  const route = shape.word();
  const status = shape.number();
  const flags = shape.number();
  const method = shape.word() ?? '';
  const origin = shape.word() ?? '';
  const clientAddress = shape.word() ?? '';
  const warnings = shape.number();
  const logs = shape.number();
  const user = shape.word();
  const parent = shape.word();
  const sequence = pack.number();
  const startedAt = pack.number() / 1000;
  const durationMs = fromTicks(pack.number());
  const target = pack.string();
  const exception = (flags & 4) === 0 ? null : pack.string();
  const isPath = target === '' || target.startsWith('/');
  return {
    sequence,
    bucket: (flags & 8) === 0 ? 'app' : 'profiler',
    parent,
    startedAt,
    durationMs,
    state: states[flags & 3] ?? 'unfinished',
    method,
    url: isPath ? origin + target : target,
    path: pathOf(target),
    status,
    clientAddress,
    route,
    exception,
    warnings,
    logs,
    user,
    target,
    origin,
  };
}

function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  const slashes = path.indexOf('://');
  if (path.startsWith('/') || slashes === -1) return path;
  const start = path.indexOf('/', slashes + 3);
  return start === -1 ? '/' : path.slice(start);
}

function cleanTarget({ recording }: ClosedRecording, redactor: Redactor): string {
  const raw = recording.request.source.target;
  const target = raw.length > longestTarget ? `${raw.slice(0, longestTarget)}… [cut]` : raw;
  const clean = redactor.url(target);
  return recording.pathSecrets === undefined ? clean : hidePathValues(clean, recording.pathSecrets);
}

interface RequestFacts {
  readonly method: string;
  readonly address: string;
  readonly origin: string;
}

/** What a request tells of itself may throw where it is no valid one: then each is what can be had. */
function readFacts(request: HttpRequest): RequestFacts {
  try {
    return { method: request.method, address: request.clientAddress, origin: request.origin };
  } catch {
    const { method, peer } = request.source;
    return {
      method: tryToRead(() => request.method) ?? method,
      address: tryToRead(() => request.clientAddress) ?? peer.address,
      origin: tryToRead(() => request.origin) ?? '',
    };
  }
}

function tryToRead(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

import type { Redactor } from '#dump';
import type { HttpRequest } from '#http';
import type { ProfileSummary } from '../model/profile-summary.js';
import type { ClosedRecording } from './closed-recording.js';
import type { PackReader } from './pack-reader.js';
import type { PackWriter } from './pack-writer.js';
import { fromTicks, toTicks } from './ticks.js';

/** States by their number in a row. */
const states = ['complete', 'unfinished', 'aborted'] as const;
const longestTarget = 16_384;

/** A row of the list before its record has a token. */
export type Row = Omit<ProfileSummary, 'token'> & {
  readonly target: string;
  readonly origin: string;
};

/** What a segment is found by. */
export interface RowFacts {
  readonly method: string;
  readonly status: number;
  readonly route: string | null;
  readonly address: string;
  readonly thrown: boolean;
}

/** Writes what lists show of a record. */
export function writeRow(pack: PackWriter, closed: ClosedRecording, redactor: Redactor): RowFacts {
  const { recording, sent } = closed;
  const { request, exception } = recording;
  const state = sent === undefined ? 1 : sent.completed ? 0 : 2;
  const method = tell(request, methodOf);
  const address = tell(request, addressOf);
  const route = recording.routeNote?.name ?? null;
  pack.number(closed.sequence);
  pack.number(Math.round(closed.startedAt * 1000));
  pack.number(toTicks(closed.end - recording.start));
  pack.number(state + (exception === undefined ? 0 : 4) + (recording.bucket === 'profiler' ? 8 : 0));
  pack.word(method);
  pack.word(tell(request, originOf));
  pack.string(cleanTarget(closed, redactor));
  pack.number(sent?.status ?? 0);
  pack.word(address);
  pack.word(route);
  if (exception !== undefined) pack.string(exception.message.slice(0, 500));
  pack.number(recording.warnings);
  pack.number(recording.logCount);
  pack.word(recording.userName);
  pack.word(recording.parent);
  return { method, status: sent?.status ?? 0, route, address, thrown: exception !== undefined };
}

export function readRow(pack: PackReader): Row {
  const sequence = pack.number();
  const startedAt = pack.number() / 1000;
  const durationMs = fromTicks(pack.number());
  const flags = pack.number();
  const method = pack.word() ?? '';
  const origin = pack.word() ?? '';
  const target = pack.string();
  const status = pack.number();
  const clientAddress = pack.word() ?? '';
  const route = pack.word();
  const exception = (flags & 4) === 0 ? null : pack.string();
  const warnings = pack.number();
  const logs = pack.number();
  const user = pack.word();
  const parent = pack.word();
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
  return /[?@#]/.test(target) ? redactor.url(target) : target;
}

/** What a request tells of itself may throw where it is no valid one. */
function tell(request: HttpRequest, read: (request: HttpRequest) => string): string {
  try {
    return read(request);
  } catch {
    return read === addressOf ? request.source.peer.address : read === methodOf ? request.source.method : '';
  }
}

const methodOf = (request: HttpRequest): string => request.method;
const addressOf = (request: HttpRequest): string => request.clientAddress;
const originOf = (request: HttpRequest): string => request.origin;

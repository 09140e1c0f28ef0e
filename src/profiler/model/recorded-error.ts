import { createHash } from 'node:crypto';
import {
  type CodePosition,
  type ErrorReport,
  findLeadError,
  pathOfFile,
  type SourceLoader,
} from '#core/errors';
import { shortPath } from './formatting.js';
import type { ProfileRecord } from './profile-record.js';

/** A request's error, as named in lists and sentences. */
export interface RecordedError {
  readonly class: string;
  readonly message: string;
  /** Application line, as `src/blog.ts:12`; null if unknown, or if lookback threw the error to refuse a request. */
  readonly location: string | null;
  /** Classes and messages of the errors that it caused, inner ones first. */
  readonly outer: readonly Pick<RecordedError, 'class' | 'message'>[];
  /** Equal for errors of one cause: class, location (or else route), and message without its values. */
  readonly fingerprint: string;
}

/** The record fields read to find its error. Amendments have no sections. */
export interface FailedRecord extends Pick<ProfileRecord, 'exception'> {
  readonly route?: { readonly name: string | null; readonly path?: string | null } | null;
  readonly request?: Pick<ProfileRecord['request'], 'method' | 'path'>;
  readonly sections?: ProfileRecord['sections'];
}

/** Returns a record's error; undefined if nothing was thrown. `sources` maps compiled positions. */
export function findRecordedError(record: FailedRecord, sources?: SourceLoader): RecordedError | undefined {
  const { exception, route, request } = record;
  const lead = exception === null ? undefined : findLeadError(exception);
  if (exception === null || lead === undefined) return undefined;
  const { error, frame, message, outer } = lead;
  const location =
    frame === undefined
      ? (borrowLocation(record, exception, sources) ?? libraryLocation(exception))
      : `${frame.file}:${frame.line}`;
  const place = location ?? route?.name ?? (request === undefined ? '' : `${request.method} ${request.path}`);
  return {
    class: error.class,
    message,
    location,
    outer: outer.filter((one) => one.message !== message),
    fingerprint: fingerprintOf(error.class, place, message),
  };
}

/** Returns an error kind's fingerprint, as eight hexadecimal digits. */
export function fingerprintOf(name: string, place: string, message: string): string {
  return createHash('sha1')
    .update(`${name}\n${place}\n${shapeOf(message)}`)
    .digest('hex')
    .slice(0, 8);
}

/** Removes values from a message: numbers, ids, and quoted text. */
export function shapeOf(message: string): string {
  return message
    .slice(0, 1000)
    .replace(/"[^"]{0,200}"|'[^']{0,200}'|`[^`]{0,200}`|“[^”]{0,200}”|‘[^’]{0,200}’|«[^»]{0,200}»/g, '"…"')
    .replace(/\b(?=[\da-f-]{0,80}\d)[\da-f]{6,64}(?:-[\da-f]{4,64}){0,8}\b/gi, '#')
    .replace(/\d+(?:[.,:]\d+)*/g, '#')
    .replace(/\s+/g, ' ')
    .slice(0, 300);
}

/** Returns where a package threw, for an error without an application frame. */
function libraryLocation({ origin, errors, status }: ErrorReport): string | null {
  const error = errors.find(({ label }) => label === origin?.error);
  const frame = error?.frames.find(({ index }) => index === origin?.frame);
  if (frame === undefined || frame.file === '') return null;
  const isRefusal = status < 500 && frame.library === 'lookback';
  return isRefusal ? null : `${frame.file}:${frame.line}`;
}

/** A section row with its failure, and the application's call site. */
interface FailedWork {
  readonly error?: unknown;
  readonly callSite?: readonly (CodePosition | null)[];
}

/** Returns the line of the query, call or other work that failed with the same message. */
function borrowLocation(
  { sections = {} }: FailedRecord,
  exception: ErrorReport,
  sources?: SourceLoader,
): string | undefined {
  const isOfError = failsWith(exception);
  for (const row of rowsOf(sections)) {
    const { error, callSite } = row ?? {};
    const site = Array.isArray(callSite) ? (callSite[0] as FailedSite) : undefined; // its fields are checked
    if (typeof error !== 'string' || typeof site?.file !== 'string' || !(site.line > 0)) continue;
    if (isOfError(error)) return originalLocationOf(site, sources);
  }
  return undefined;
}

/** Returns a function that tells whether a message belongs to the report's thrown error or to one of its causes. */
export function failsWith(exception: Pick<ErrorReport, 'errors'>): (message: string) => boolean {
  const messages = [...messagesOf(exception)].filter((text) => text.length > 3);
  return (message) =>
    messages.some((text) => message.includes(text) || (message.length > 3 && text.includes(message)));
}

type FailedSite = CodePosition | null | undefined;

/** Yields all rows in all of the sections' lists. */
function* rowsOf(sections: object): Generator<FailedWork | null> {
  for (const section of Object.values(sections)) {
    if (typeof section !== 'object' || section === null) continue;
    const lists: unknown[] = Object.values(section);
    for (const rows of lists) if (Array.isArray(rows)) yield* rows as readonly (FailedWork | null)[]; // rows of any section: each field is checked
  }
}

function* messagesOf({ errors }: Pick<ErrorReport, 'errors'>): Generator<string> {
  for (const { message, children = [] } of errors) {
    if (typeof message === 'string' && message !== '') yield message; // from an imported file, it may be missing
    for (const child of children) yield* messagesOf(child);
  }
}

/** Formats a compiled position as `src/blog.ts:12` of its source. */
export function originalLocationOf(position: CodePosition, sources?: SourceLoader): string {
  const path = pathOfFile(position.file);
  const original = sources?.findOriginal({ ...position, path }) ?? { ...position, path };
  return `${shortPath(original.path)}:${original.line}`;
}

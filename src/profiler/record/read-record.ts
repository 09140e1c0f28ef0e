import type { Picture } from '#dump';
import type { MatchTrace } from '#routing';
import {
  recordSchema,
  type NamedPicture,
  type ProfileRecord,
  type RecordedController,
  type RecordedLimit,
  type RecordedLog,
  type RecordedRoute,
  type RecordedRuntime,
} from '../model/profile-record.js';
import type { RecordedRequest, RecordedResponse } from '../model/recorded-message.js';
import { readDbSection } from '../collectors/db-tape.js';
import { readBody } from './body-content.js';
import { unpackFrames } from './frame-words.js';
import { readHeaderList } from './header-lists.js';
import type { PackReader } from './pack-reader.js';
import { sectionForm } from './packed-section.js';
import { readValue } from './picture-argument.js';
import { readPicture } from './picture-tape.js';
import { findValue, readCookies, readParsed, readQuery, readSetCookies } from './read-message.js';
import type { Row } from './row.js';
import { readSpanList } from './span-list.js';
import { fromTicks } from './ticks.js';
import { contextCode, type RareParts, routeCode } from './write-record.js';

/** Reads one record whose row is known; in the order in which `RecordWriter` wrote it. */
export function readRecord(pack: PackReader, row: Row, token: string): ProfileRecord {
  const request = readRequest(pack, row, token);
  const response = readResponse(pack, row, token);
  const route = readRoute(pack);
  const controller = readController(pack);
  const { timeline, events } = readSpanList(pack);
  const logs = readLogs(pack, row.startedAt);
  // The texts below are JSON that RecordWriter made of these types.
  const runtime = JSON.parse(pack.word() ?? '{}') as Omit<RecordedRuntime, 'sampledMsAgo'>;
  const sampledMsAgo = fromTicks(pack.number());
  const config = JSON.parse(pack.word() ?? '{}') as ProfileRecord['config'];
  const sections = readSections(pack, row.startedAt);
  const rare = JSON.parse(pack.string() || '{}') as RareParts;
  const recordMs = fromTicks(pack.number());
  const bytes = pack.number();
  const complete: RecordedRoute | null =
    route === null
      ? null
      : {
          ...route,
          name: row.route,
          trace: (rare.trace ?? null) as MatchTrace | null,
          allow: rare.allow ?? [],
        };
  return {
    schema: recordSchema,
    token,
    sequence: row.sequence,
    bucket: row.bucket,
    ...(row.parent === null ? {} : { parent: row.parent }),
    ...(rare.children === undefined ? {} : { children: rare.children }),
    startedAt: row.startedAt,
    durationMs: row.durationMs,
    state: row.state,
    request: {
      ...request,
      user: row.user,
      ...(rare.rawHead === undefined ? {} : { rawHead: rare.rawHead }),
    },
    response,
    route: complete,
    controller,
    events,
    logs,
    exception: rare.exception === undefined ? null : unpackFrames(rare.exception, pack),
    timeline,
    runtime: { ...runtime, sampledMsAgo },
    config,
    sections,
    limits: [...(rare.limits ?? []), ...boundsOf(request, response, route?.untraced === true)],
    cost: { recordMs, bytes },
  };
}

function readRequest(pack: PackReader, row: Row, token: string): Omit<RecordedRequest, 'user'> {
  const httpVersion = pack.word() ?? '';
  const peer = { address: pack.word() ?? '', port: pack.number() };
  const headers = readHeaderList(pack, token);
  const body = readBody(pack);
  const locale = pack.word();
  return {
    method: row.method,
    url: row.url,
    target: row.target,
    path: row.path,
    httpVersion,
    scheme: row.origin.startsWith('https:') ? 'https' : 'http',
    host: findValue(headers, 'host') ?? row.origin.replace(/^https?:\/\//, ''),
    clientAddress: row.clientAddress,
    peer,
    headers,
    cookies: readCookies(headers),
    query: readQuery(row.target),
    body,
    parsed: readParsed(body),
    locale,
  };
}

function readResponse(pack: PackReader, row: Row, token: string): RecordedResponse | null {
  if (pack.number() === 0) return null;
  const headers = readHeaderList(pack, token);
  const bodyBytes = pack.number();
  const body = readBody(pack);
  return {
    status: row.status,
    headers,
    cookies: readSetCookies(headers),
    bodyBytes,
    body,
    completed: row.state === 'complete',
  };
}

function readRoute(
  pack: PackReader,
): (Pick<RecordedRoute, 'path' | 'parameters'> & { readonly untraced: boolean }) | null {
  const code = pack.number();
  if (code === routeCode.none) return null;
  return { untraced: code === routeCode.untraced, path: pack.word(), parameters: readNamed(pack) };
}

function readController(pack: PackReader): RecordedController | null {
  const name = pack.word();
  if (name === null) return null;
  return { name, file: pack.word(), line: pack.number() || null, arguments: readNamed(pack) };
}

function readNamed(pack: PackReader): NamedPicture[] {
  return Array.from({ length: Math.min(pack.number(), 1000) }, () => ({
    name: pack.word() ?? '',
    value: readValue(pack),
  }));
}

function readLogs(pack: PackReader, startedAt: number): RecordedLog[] {
  return Array.from({ length: Math.min(pack.number(), 100_000) }, () => {
    const offsetMs = pack.number() / 1000;
    const level = pack.word() ?? '';
    const channel = pack.word() ?? '';
    const message = pack.word() ?? '';
    const context = readContext(pack);
    return {
      time: startedAt + offsetMs,
      offsetMs,
      level,
      channel,
      message,
      ...(context === undefined ? {} : { context }),
    };
  });
}

function readContext(pack: PackReader): Picture | undefined {
  const code = pack.number();
  if (code === contextCode.none) return undefined;
  if (code === contextCode.picture) return readPicture(pack);
  return JSON.parse(pack.string(code)) as Picture; // an early record's, written from one
}

function readSections(pack: PackReader, startedAt: number): Record<string, unknown> {
  // Without prototype: a collector may be called `__proto__`.
  const sections = Object.create(null) as Record<string, unknown>; // any in the library's type
  for (let count = pack.number(); count > 0; count--) {
    const name = pack.word() ?? '';
    const length = pack.number();
    sections[name] =
      length > 0 ? (JSON.parse(pack.string(length)) as unknown) : readPackedSection(pack, startedAt);
  }
  return sections;
}

function readPackedSection(pack: PackReader, startedAt: number): unknown {
  const form = pack.number();
  if (form === sectionForm.db) return readDbSection(pack, startedAt);
  if (form === sectionForm.shared) return JSON.parse(pack.word() ?? 'null') as unknown;
  throw new RangeError('A section of the record is damaged.');
}

function boundsOf(
  request: Pick<RecordedRequest, 'body'>,
  response: RecordedResponse | null,
  untraced: boolean,
): RecordedLimit[] {
  const limits: RecordedLimit[] = untraced ? [{ what: 'routing trace', kept: 0, total: 1, limit: 0 }] : [];
  for (const [what, body] of [
    ['request body', request.body],
    ['response body', response?.body ?? null],
  ] as const) {
    if (body?.cut !== true) continue;
    const kept = Buffer.byteLength(body.content, body.encoding === 'text' ? 'utf8' : 'base64');
    limits.push({ what, kept, total: body.bytes, limit: kept });
  }
  return limits;
}

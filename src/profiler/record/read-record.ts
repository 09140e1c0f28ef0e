import type { MatchTrace } from '#routing';
import {
  recordSchema,
  type ProfileRecord,
  type RecordedLimit,
  type RecordedRoute,
  type RecordedRuntime,
} from '../model/profile-record.js';
import type { RecordedRequest, RecordedResponse } from '../model/recorded-message.js';
import { readBody } from './body-content.js';
import { unpackFrames } from './frame-words.js';
import { readHeaderList } from './header-lists.js';
import { readLogs } from './log-list.js';
import type { PackReader } from './pack-reader.js';
import { findValue, readCookies, readParsed, readQuery, readSetCookies } from './read-message.js';
import { readController, readRoute } from './route-parts.js';
import type { Row } from './row.js';
import { readSections } from './section-list.js';
import { readSpanList } from './span-list.js';
import { fromTicks } from './ticks.js';
import type { WordReader } from './word-reader.js';
import type { RareParts } from './write-record.js';

/** Reads one record whose row is known; in the order in which `RecordWriter` wrote it. */
export function readRecord(pack: PackReader, row: Row, token: string): ProfileRecord {
  const shape = pack.shape(pack.number());
  const route = readRoute(shape, pack);
  const controller = readController(shape, pack);
  const { timeline, events } = readSpanList(shape, pack);
  const facts = readFacts(shape);
  const request = readRequest(pack, facts, row, token);
  const response = facts.hasResponse ? readResponse(pack, facts, row, token) : null;
  const logs = readLogs(shape, pack, row.startedAt);
  // The texts below are JSON that was made of these types.
  const runtime = JSON.parse(shape.word() ?? '{}') as Omit<RecordedRuntime, 'sampledMsAgo'>;
  const sampledMsAgo = fromTicks(pack.number());
  const config = JSON.parse(shape.word() ?? '{}') as ProfileRecord['config'];
  const sections = readSections(shape, pack, row.startedAt);
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
    limits: [...(rare.limits ?? []), ...boundsOf(request, response, route?.isUntraced === true)],
    cost: { recordMs, bytes },
  };
}

/** What the shape of a record has of request and response. */
interface MessageFacts {
  readonly httpVersion: string;
  readonly address: string;
  readonly locale: string | null;
  readonly requestHeaders: number;
  readonly hasResponse: boolean;
  readonly responseHeaders: number;
}

function readFacts(shape: WordReader): MessageFacts {
  const httpVersion = shape.word() ?? '';
  const address = shape.word() ?? '';
  const locale = shape.word();
  const requestHeaders = shape.number();
  const hasResponse = shape.number() === 1;
  const responseHeaders = hasResponse ? shape.number() : 0;
  return { httpVersion, address, locale, requestHeaders, hasResponse, responseHeaders };
}

function readRequest(
  pack: PackReader,
  { httpVersion, address, locale, requestHeaders }: MessageFacts,
  row: Row,
  token: string,
): Omit<RecordedRequest, 'user'> {
  const peer = { address, port: pack.number() };
  const headers = readHeaderList(pack, requestHeaders, token);
  const body = readBody(pack);
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

function readResponse(
  pack: PackReader,
  { responseHeaders }: MessageFacts,
  row: Row,
  token: string,
): RecordedResponse {
  const headers = readHeaderList(pack, responseHeaders, token);
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

import {
  decodePercent,
  type Redactor,
  hidePathValues,
  redactMember,
  redactSecret,
  type Snapshot,
} from '#core/dump';
import type { SectionFinding } from '../sections/section.js';
import type { SourceLoader } from '#core/errors';
import { findField } from '#core/http';
import { logLevels } from '#core/log';
import {
  type ProfileRecord,
  type RecordedBody,
  type RecordedHeaders,
  type RecordedLimit,
  type RecordedRequest,
  type RecordedResponse,
  type RecordedSpan,
  type StoredFinding,
  findHeader,
  recordSchema,
} from '../model/profile-record.js';
import { nodeWarningsOf, type ProfileSummary, summaryOf } from '../model/profile-summary.js';
import { requestFactList, responseFactList } from '../model/recorded-facts.js';
import { type SectionDefinition, numbersOf } from '../sections/section.js';
import { takeBody } from './take-body.js';
import type { VisitorThreads } from './visitor-threads.js';
import {
  isNamed,
  isEncodedNodeWarning,
  objectOf,
  type ProcessSample,
  type EncodedBody,
  type EncodedBatch,
  type EncodedRecord,
  type EncodedRoute,
  type EncodedSent,
  type CapturedNamed,
  type LatePlace,
  toSnapshot,
} from './encoded-record.js';
import { decodeRecords, type SizedRecord } from './record-format.js';
import {
  filledMessage,
  readCookies,
  readParsed,
  readSetCookies,
  readTargetQuery,
  fieldsOfHead,
} from './read-message.js';
import { addNotCalled, maxNotCalled } from './not-called.js';
import { eventsOf, fromTicks, type SpanKind, timelineOf } from './spans.js';
import { tokenOf } from './token.js';
import { cutRecorded } from '../model/formatting.js';
import type { MatchTrace } from '#core/routing';

/** Shared context for making one application's records. */
export interface RecordSource {
  readonly redactor: Redactor;
  /** Takes a snapshot without secrets. */
  readonly snapshot: (value: unknown) => Snapshot;
  readonly visitors: VisitorThreads;
  readonly config: ProfileRecord['config'];
  readonly libraries?: ProfileRecord['libraries'];
  readonly limits: { readonly requestBody: number; readonly responseBody: number };
  readonly bodyTypes?: readonly string[] | undefined;
  readonly kinds: readonly SpanKind[];
  /** The built-in sections by id. */
  readonly definitions: ReadonlyMap<string, SectionDefinition>;
  /** Maps the positions shown in lists to the original sources. */
  readonly sources?: SourceLoader;
  /** Returns a complete record's findings. */
  readonly findFindings: (record: ProfileRecord, sources?: SourceLoader) => readonly StoredFinding[];
  readonly failed: (error: unknown) => void;
}

type NamedSnapshot = NonNullable<ProfileRecord['route']>['parameters'][number];

/** Maximum headers per message, and maximum characters per header. */
const maxFields = 256;
const maxHeaderLength = 16_384;

/** A finished record: bounded, without secrets, with all its sections complete. */
export interface FinishedRecord {
  readonly record: ProfileRecord;
  /** Its row in lists, as `summaryOf` returns it. */
  readonly summary: ProfileSummary;
}

/**
 * Makes complete records, bounded and without secrets; skips malformed entries. `recordMs` is the time that encoding
 * took.
 */
export function toRecords(
  { data, sample, places = [] }: EncodedBatch,
  recordMs: number,
  source: RecordSource,
): FinishedRecord[] {
  const made: FinishedRecord[] = [];
  for (const one of decodeRecords(data, source.failed)) {
    try {
      made.push(toRecord(withPlace(one, places), { recordMs, sample }, source));
    } catch (error) {
      source.failed(error);
    }
  }
  return made;
}

function withPlace(one: SizedRecord, places: readonly LatePlace[]): SizedRecord {
  const { raw, bytes } = one;
  const place = places.find(({ id }) => id === raw.id);
  if (place === undefined || raw.controller === undefined) return one;
  const { file, line } = place;
  return { raw: { ...raw, controller: { ...raw.controller, file, line } }, bytes };
}

function toRecord(
  { raw, bytes }: SizedRecord,
  { recordMs, sample }: { readonly recordMs: number; readonly sample: ProcessSample },
  source: RecordSource,
): FinishedRecord {
  const { startedAt, origin, sent, end } = raw;
  const { redactor, kinds } = source;
  const durationMs = fromTicks(end);
  const secrets = pathSecretsOf(raw, redactor);
  const spans = timelineOf(raw.spans, kinds);
  const { sections, numbers, timeline, findings } = sectionsOf(raw, source);
  const [received, answered] = [receivedFields(raw), fieldsOfHead(raw.answered)];
  const request = requestOf(raw, { received, answered, secrets }, source);
  const response = sent === undefined ? null : responseOf(sent, answered, source);
  const { events, total: notCalled } = eventsWith(raw, spans, kinds);
  const state = response === null ? 'unfinished' : response.completed ? 'complete' : 'aborted';
  const record: ProfileRecord = {
    schema: recordSchema,
    token: tokenOf(raw.id),
    sequence: raw.sequence,
    origin,
    startedAt,
    durationMs,
    state,
    request,
    response,
    route: routeOf(raw, secrets, redactor),
    controller: controllerOf(raw, redactor),
    events,
    ...logsOf(raw, source),
    exception: raw.exception ?? null,
    timeline: [...spans, ...timeline],
    runtime: { ...sample.runtime, sampledMsAgo: sampledBefore(sample, startedAt + durationMs) },
    config: source.config,
    ...(source.libraries === undefined ? {} : { libraries: source.libraries }),
    sections,
    ...(findings.length === 0 ? {} : { findings }),
    limits: [
      ...(raw.limits ?? []),
      ...fieldLimit('request headers', received),
      ...fieldLimit('response headers', answered),
      ...boundsOf(request, response, raw.route),
      ...(notCalled > maxNotCalled
        ? [{ what: 'listeners not called', kept: maxNotCalled, total: notCalled, limit: maxNotCalled }]
        : []),
    ],
    cost: { recordMs, bytes },
  };
  const found = withFindings(record, source.findFindings(record, source.sources));
  return { record: found, summary: summaryOf(found, numbers, source.sources) };
}

function withFindings(record: ProfileRecord, findings: readonly StoredFinding[]): ProfileRecord {
  return findings.length === 0 ? record : { ...record, findings };
}

function eventsWith(
  { spans: numbers, registered = [], exception, controller, sent }: EncodedRecord,
  spans: readonly RecordedSpan[],
  kinds: readonly SpanKind[],
): ReturnType<typeof addNotCalled> {
  const events = eventsOf(numbers, kinds, spans);
  if (registered.length === 0 || sent === undefined) return { events, total: 0 };
  const [hasFailed, hasController] = [exception !== undefined, controller !== undefined];
  return addNotCalled(events, { registered, kinds, hasFailed, hasController });
}

function routeOf(raw: EncodedRecord, secrets: readonly string[], redactor: Redactor): ProfileRecord['route'] {
  const { route, origin } = raw;
  if (route === undefined) return null;
  const hidden = hiddenInPath(raw, redactor);
  const { name, path, parameters, trace, allow = [] } = route;
  return {
    name,
    path,
    parameters: parameters.map((one) => {
      const { name: parameter, value } = capturedParameter(one, origin, redactor);
      return { name: parameter, value: hideInSnapshot(value, hidden) };
    }),
    trace: trace === undefined ? null : hideInTrace(trace, { secrets: [...secrets, ...hidden], redactor }),
    allow,
  };
}

function controllerOf(raw: EncodedRecord, redactor: Redactor): ProfileRecord['controller'] {
  const { controller } = raw;
  if (controller === undefined) return null;
  const { name, file = null, line, arguments: values } = controller;
  const hidden = values.length === 0 ? [] : hiddenInPath(raw, redactor);
  return {
    name,
    file,
    line: line === 0 ? null : line,
    arguments: values.map((one) => {
      const { name: argument, value } = captured(one, redactor);
      return { name: argument, value: hideInSnapshot(value, hidden) };
    }),
  };
}

/** Returns the values of parameters with secret names, which also occur in the path. */
function pathSecretsOf({ origin, route }: EncodedRecord, redactor: Redactor): readonly string[] {
  // Profiler page parameters are record names and never secret, even if called `token`.
  if (route === undefined || origin === 'profiler') return [];
  return route.parameters.flatMap(({ name, value }) =>
    typeof value === 'string' && redactor.isSecretName(name) ? [value] : [],
  );
}

/** Returns what the redactor hides in the path, decoded, because it also occurs in parameters of any name. */
function hiddenInPath({ origin, route, target }: EncodedRecord, redactor: Redactor): readonly string[] {
  if (route === undefined || route.parameters.length === 0 || origin === 'profiler') return [];
  const path = pathOf(target);
  const clean = redactor.text(path);
  if (clean === path) return [];
  const [sent, shown] = [path.split('/'), clean.split('/')];
  if (sent.length !== shown.length) return [];
  return sent.flatMap((segment, at) => {
    const replacement = shown[at] ?? '';
    let start = 0;
    while (start < segment.length && segment[start] === replacement[start]) start++;
    const value = decodePercent(segment.slice(start));
    return segment === replacement || value.length < minHidden ? [] : [value];
  });
}

/** Shorter ends of segments could be part of any word. */
const minHidden = 4;

/** Hides values in a snapshot's texts. */
function hideInSnapshot(snapshot: Snapshot, secrets: readonly string[]): Snapshot {
  if (secrets.length === 0) return snapshot;
  const { text, entries } = snapshot;
  return {
    ...snapshot,
    ...(text === undefined ? {} : { text: secrets.reduce((all, one) => hideIn(all, one), text) }),
    ...(entries === undefined
      ? {}
      : { entries: entries.map((entry) => ({ ...entry, value: hideInSnapshot(entry.value, secrets) })) }),
  };
}

function capturedParameter(
  { name, value }: CapturedNamed,
  origin: EncodedRecord['origin'],
  redactor: Redactor,
): NamedSnapshot {
  if (origin === 'profiler') return { name, value: toSnapshot(value) };
  const isText = typeof value === 'string' || toSnapshot(value).type === 'string';
  return isText && redactor.isSecretName(name)
    ? { name, value: toSnapshot(redactMember(typeof value === 'string' ? value : toSnapshot(value).text)) }
    : captured({ name, value }, redactor);
}

function captured({ name, value }: CapturedNamed, redactor: Redactor): NamedSnapshot {
  return { name, value: toSnapshot(typeof value === 'string' ? redactor.text(value) : value) };
}

function requestOf(
  raw: EncodedRecord,
  { received, answered, secrets }: Readonly<Record<'received' | 'answered' | 'secrets', readonly string[]>>,
  source: RecordSource,
): RecordedRequest {
  const { method, baseUrl, peer } = raw;
  const { redactor, visitors, limits } = source;
  const headers = headersOf(received, redactor);
  const target = hidePathValues(redactor.url(raw.target), secrets);
  const body = bodyOf(raw.body, { fields: received, limit: limits.requestBody }, source);
  const visitor = visitors.visitorOf(received, answered);
  return {
    method,
    url: target === '' || target.startsWith('/') ? baseUrl + target : target,
    target,
    path: pathOf(target),
    scheme: baseUrl.startsWith('https:') ? 'https' : 'http',
    host: findHeader(headers, 'host') ?? baseUrl.replace(/^https?:\/\/([^/]*).*$/, '$1'),
    peer: { address: peer[0], port: peer[1] },
    headers,
    cookies: readCookies(headers),
    query: readTargetQuery(target),
    body,
    parsed: readParsed(body),
    ...(visitor === null ? {} : { visitor }),
    ...requestFactList.fieldsOf(raw.facts, redactor),
  };
}

function receivedFields({ received: { names, values } }: EncodedRecord): string[] {
  const all = names.split('\n');
  return values.flatMap((value, at) => [all[at] ?? '', value]);
}

function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  const slashes = path.indexOf('://');
  if (path.startsWith('/') || slashes === -1) return path;
  const start = path.indexOf('/', slashes + 3);
  return start === -1 ? '/' : path.slice(start);
}

function responseOf(sent: EncodedSent, fields: readonly string[], source: RecordSource): RecordedResponse {
  const headers = headersOf(fields, source.redactor);
  return {
    headers,
    cookies: readSetCookies(headers),
    body: bodyOf(sent.body, { fields, limit: source.limits.responseBody }, source),
    ...responseFactList.fieldsOf(sent.facts, source.redactor),
  };
}

function bodyOf(
  body: EncodedBody | undefined,
  { fields, limit }: { readonly fields: readonly string[]; readonly limit: number },
  { redactor, bodyTypes }: RecordSource,
): RecordedBody | null {
  if (body === undefined) return null;
  const { bytes, isUnread } = body;
  const contentType = findField(fields, 'content-type') ?? '';
  const content = body.isBytes ? Buffer.from(body.content, 'base64') : body.content;
  return takeBody({ content, bytes, contentType, isUnread }, { redactor, limit, bodyTypes });
}

function headersOf(flat: readonly string[], redactor: Redactor): RecordedHeaders {
  const clean = redactor.headers(flat.slice(0, maxFields * 2));
  const pairs: [string, string][] = [];
  const textAt = (at: number): string => cutRecorded(clean[at] ?? '', maxHeaderLength);
  for (let at = 0; at + 1 < clean.length; at += 2) pairs.push([textAt(at), textAt(at + 1)]);
  return pairs;
}

function logsOf(
  { logs, startedAt }: EncodedRecord,
  { redactor, snapshot }: RecordSource,
): Pick<ProfileRecord, 'logs' | 'logTotals'> {
  if (logs === undefined)
    return { logs: [], logTotals: { total: 0, byLevel: {}, omitted: 0, omittedAfter: 0 } };
  const { lines, more } = logs;
  const byLevel =
    more?.byLevel ?? logLevels.map((_, level) => lines.filter((line) => line.level === level).length);
  const {
    omitted = 0,
    omittedAfter = lines.length,
    nodeWarnings = lines.filter(isEncodedNodeWarning).length,
  } = more ?? {};
  const counts: Record<string, number> = {};
  for (const [index, level] of logLevels.entries())
    if ((byLevel[index] ?? 0) > 0) counts[level] = byLevel[index] ?? 0;
  return {
    logs: lines.map(({ level, channel, message, offsetMs, isTemplate = false, ...line }) => {
      const context =
        line.context !== undefined && isNamed(line.context) ? snapshot(objectOf(line.context)) : line.context;
      return {
        time: startedAt + offsetMs,
        offsetMs,
        level: logLevels[level] ?? '',
        channel,
        message: redactor.text(isTemplate ? filledMessage(message, context) : message),
        ...(context === undefined ? {} : { context }),
      };
    }),
    logTotals: {
      total: byLevel.reduce((sum, count) => sum + count, 0),
      byLevel: counts,
      omitted,
      omittedAfter,
      ...nodeWarningsOf(nodeWarnings),
    },
  };
}

function sectionsOf(
  { sections: given, startedAt }: EncodedRecord,
  { definitions, redactor, failed }: RecordSource,
): {
  sections: Record<string, unknown>;
  numbers: Record<string, number>;
  timeline: RecordedSpan[];
  findings: StoredFinding[];
} {
  const sections = new Map<string, unknown>();
  const numbers: Record<string, number> = {};
  const timeline: RecordedSpan[] = [];
  const findings: StoredFinding[] = [];
  for (const { name, data, isCustom, ...own } of given) {
    if (isCustom) {
      sections.set(name, data);
      Object.assign(numbers, own.numbers);
      for (const entry of own.timeline ?? []) timeline.push({ ...entry, section: name });
      for (const finding of own.findings ?? []) findings.push(readFinding(finding, name, redactor));
      continue;
    }
    const definition = definitions.get(name);
    if (definition === undefined) continue;
    try {
      const clean = definition.clean === undefined ? data : definition.clean(data, redactor);
      Object.assign(numbers, numbersOf(definition, clean, failed));
      for (const entry of definition.timeline?.(clean) ?? []) timeline.push({ ...entry, section: name });
      sections.set(name, definition.complete === undefined ? clean : definition.complete(clean, startedAt));
    } catch (error) {
      failed(error); // only this section is lost
    }
  }
  // Not assigned, because a section may be called `__proto__`.
  return { sections: Object.fromEntries(sections), numbers, timeline, findings };
}

const maxFindingLength = 300;
const maxKindLength = 100;

/** Reads a finding from the application, whose fields may be anything. */
function readFinding(
  { level, text, anchor }: SectionFinding,
  section: string,
  redactor: Redactor,
): StoredFinding {
  return {
    section,
    kind: section.slice(0, maxKindLength),
    level: level === 'error' || level === 'info' ? level : 'warn',
    text: redactor.text(String(text)).slice(0, maxFindingLength),
    ...(typeof anchor === 'string' ? { anchor: anchor.slice(0, maxFindingLength) } : {}),
  };
}

function sampledBefore({ at, epoch }: ProcessSample, endedAt: number): number {
  return Math.max(0, Math.round(endedAt - at - epoch));
}

function fieldLimit(what: string, { length }: readonly string[]): RecordedLimit[] {
  return length > maxFields * 2 ? [{ what, kept: maxFields, total: length / 2, limit: maxFields }] : [];
}

function boundsOf(
  request: RecordedRequest,
  response: RecordedResponse | null,
  route: EncodedRoute | undefined,
): RecordedLimit[] {
  const limits: RecordedLimit[] =
    route?.isUntraced === true ? [{ what: 'routing trace', kept: 0, total: 1, limit: 0 }] : [];
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

/** Redacts secrets in a trace's path and reasons. */
export function hideInTrace(
  trace: MatchTrace,
  {
    secrets = [],
    redactor,
  }: { readonly secrets?: readonly string[] | undefined; readonly redactor: Redactor },
): MatchTrace {
  const clean = (text: string): string => secrets.reduce((all, one) => hideIn(all, one), redactor.text(text));
  const path = hidePathValues(redactor.url(trace.path), secrets);
  if (secrets.length === 0 && path === trace.path) return trace;
  return { ...trace, path, rows: trace.rows.map((row) => ({ ...row, reason: clean(row.reason) })) };
}

/** Redacts a secret in a text. A short one could be part of any word, so only its quoted form is replaced. */
function hideIn(text: string, secret: string): string {
  return secret.length < 4
    ? text.replaceAll(`"${secret}"`, `"${redactSecret(secret)}"`)
    : text.replaceAll(secret, () => redactSecret(secret));
}

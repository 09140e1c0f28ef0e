import { containsRedacted, dump, redactedMark } from '#core/dump';
import type { InputDifference } from '#core/errors';
import { say } from '#core/phrases';
import { formatBytes, shorten } from '../../model/formatting.js';
import {
  markKeyFact,
  type ProfileRecord,
  type RecordedBody,
  type RecordedHeaders,
} from '../../model/profile-record.js';
import { compareSnapshots, type NamedDifference, type ValueDifferences } from './compare-values.js';
import { isNoise } from './noise.js';

/** Differences between two records' requests or responses; values are paired by name. */
export interface MessageDifferences {
  readonly differences: readonly NamedDifference[];
  /** Parts without differences: `headers`, `path`. */
  readonly same: readonly string[];
  /** Names of fields that differ between any two requests, and also here: `Date`, `ETag`. */
  readonly leftOut: readonly string[];
  /** Names of values that the records redact or truncate, so that they cannot be compared. */
  readonly unknown: readonly string[];
}

/** The differences in one message part, those that interest a reader most first. */
interface Part extends ValueDifferences {
  readonly name: string;
  readonly leftOut: string[];
  /** True if neither record has this part. */
  readonly isAbsent: boolean;
}

const maxTextLength = 160;

/** Compares the requests in two records. */
export function compareRequests(before: ProfileRecord, after: ProfileRecord): MessageDifferences {
  const [a, b] = [before.request, after.request];
  const { part, fields } = partsOf(before, after);
  const sameRoute = before.route?.name !== null && before.route?.name === after.route?.name;
  const [was, is] = [before, after].map(({ route }) => route?.parameters ?? []);
  const path =
    sameRoute && was !== undefined && is !== undefined && was.length + is.length > 0
      ? compareParameters(was, is, part('path'))
      : fields('path', [['path', a.path]], [['path', b.path]]);
  const body = part('request body', { isAbsent: a.body === null && b.body === null });
  if (a.parsed !== null && b.parsed !== null) compareSnapshots([a.parsed.value, b.parsed.value], body);
  else compareBodies(a.body, b.body, body);
  return gather([
    fields('method', [['method', a.method]], [['method', b.method]]),
    fields('host', [['host', a.host]], [['host', b.host]]),
    path,
    fields('query', a.query, b.query),
    body,
    fields('headers', withoutHost(a.headers), withoutHost(b.headers)),
    fields('cookies', a.cookies, b.cookies),
    fields('user', fieldOf('user', a.user), fieldOf('user', b.user)),
  ]);
}

/** Compares two records' responses, without the status, which belongs to the outcome. */
export function compareResponses(before: ProfileRecord, after: ProfileRecord): MessageDifferences {
  const [a, b] = [before.response, after.response];
  const { part, fields } = partsOf(before, after);
  const body = part('response body', { isAbsent: (a?.body ?? null) === null && (b?.body ?? null) === null });
  compareBodies(a?.body ?? null, b?.body ?? null, body);
  return gather([body, fields('headers', a?.headers ?? [], b?.headers ?? [])]);
}

/** Returns functions that create the parts of two records' messages. */
function partsOf(before: ProfileRecord, after: ProfileRecord) {
  const key = before.config[markKeyFact];
  const hasOneKey = key !== undefined && key === after.config[markKeyFact];
  const part = (name: string, { isAbsent = false } = {}): Part => ({
    name,
    differences: [],
    unknown: [],
    leftOut: [],
    isAbsent,
    hasOneKey,
  });
  const fields = (name: string, was: RecordedHeaders, is: RecordedHeaders): Part =>
    compareFields(was, is, part(name, { isAbsent: was.length + is.length === 0 }));
  return { part, fields };
}

function gather(parts: readonly Part[]): MessageDifferences {
  return {
    differences: parts.flatMap(({ name: part, differences }) =>
      differences.map((one) => ({ part, ...one, name: one.name === '' ? part : one.name })),
    ),
    same: parts.flatMap((part) =>
      part.isAbsent || part.differences.length + part.unknown.length + part.leftOut.length > 0
        ? []
        : [part.name],
    ),
    leftOut: parts.flatMap(({ leftOut }) => leftOut),
    unknown: parts.flatMap(({ name: part, unknown }) => unknown.map((name) => name || part)),
  };
}

type Parameters = NonNullable<ProfileRecord['route']>['parameters'];

function compareParameters(before: Parameters, after: Parameters, part: Part): Part {
  const entries = (list: Parameters) =>
    list.map(({ name, value }) => ({ key: name, kind: 'property', value }) as const);
  compareSnapshots(
    [
      { type: 'object', entries: entries(before) },
      { type: 'object', entries: entries(after) },
    ],
    part,
  );
  return part;
}

/** Compares fields by case-insensitive name; several fields with one name form one value. */
function compareFields(before: RecordedHeaders, after: RecordedHeaders, part: Part): Part {
  const [was, is] = [byName(before), byName(after)];
  for (const key of new Set([...was.keys(), ...is.keys()])) {
    const [a, b] = [was.get(key), is.get(key)];
    const shown = (a ?? b)?.name ?? key;
    if (isUnknown(part, a?.text, b?.text)) part.unknown.push(shown);
    else if (a?.text === b?.text) continue;
    else if (isNoise(key)) part.leftOut.push(shown);
    else part.differences.push({ name: shown, before: textOf(a?.text), after: textOf(b?.text) });
  }
  return part;
}

/**
 * Whether two texts with secrets cannot be compared: a secret is not marked, or the marks differ and may have different
 * keys, since one secret has different marks in two processes.
 */
function isUnknown({ hasOneKey }: Part, a = '', b = ''): boolean {
  if (!containsRedacted(a) || !containsRedacted(b)) return false;
  if (hasUnmarked(a) || hasUnmarked(b)) return true;
  return a !== b && !hasOneKey;
}

function hasUnmarked(text: string): boolean {
  return text.includes(redactedMark) || /%5Bredacted%5D/i.test(text);
}

function byName(
  fields: RecordedHeaders,
): ReadonlyMap<string, { readonly name: string; readonly text: string }> {
  const found = new Map<string, { name: string; text: string }>();
  for (const [name, value] of fields) {
    const key = name.toLowerCase();
    const known = found.get(key);
    const text = key === 'content-type' ? value.replace(/;\s*boundary=.*$/i, '') : value;
    if (known === undefined) found.set(key, { name, text });
    else known.text += `, ${text}`;
  }
  return found;
}

/** Cookies are compared separately, and the host is part of the URL. */
function withoutHost(headers: RecordedHeaders): RecordedHeaders {
  return headers.filter(([name]) => !/^(?:host|cookie)$/i.test(name));
}

function fieldOf(name: string, value: string | null): RecordedHeaders {
  return value === null ? [] : [[name, value]];
}

function textOf(text: string | undefined): string | null {
  return text === undefined ? null : shorten(text, maxTextLength);
}

function compareBodies(before: RecordedBody | null, after: RecordedBody | null, part: Part): void {
  if (before === null && after === null) return;
  const json = [before, after].map(readJson);
  if (json[0] !== undefined && json[1] !== undefined) return compareJson(json[0].value, json[1].value, part);
  const isSame = before?.content === after?.content && before?.bytes === after?.bytes;
  if (!isSame) part.differences.push({ name: '', before: bodyText(before), after: bodyText(after) });
  else if (before !== null && (before.cut || (before.content === '' && before.bytes > 0)))
    part.unknown.push('');
}

/** Parses a JSON body that was recorded whole; undefined for other bodies. */
function readJson(body: RecordedBody | null): { readonly value: unknown } | undefined {
  if (body === null || body.cut || body.encoding !== 'text' || !/[/+]json\b/i.test(body.contentType))
    return undefined;
  try {
    const value: unknown = JSON.parse(body.content);
    return { value };
  } catch {
    return undefined;
  }
}

function compareJson(before: unknown, after: unknown, part: Part): void {
  compareSnapshots([dump(before), dump(after)], part);
}

function bodyText(body: RecordedBody | null): string | null {
  if (body === null) return null;
  const { content, encoding, contentType, bytes } = body;
  if (content === '' || encoding === 'base64') return `${formatBytes(bytes)} of ${contentType || 'no type'}`;
  return shorten(content.replace(/\s+/g, ' '), maxTextLength);
}

/** Describes which parts differ and which do not: `request body: 2 fields differ; headers and path are the same`. */
export function describeMessages({ differences, same }: MessageDifferences): string {
  const counts = new Map<string, number>();
  for (const { part } of differences) counts.set(part, (counts.get(part) ?? 0) + 1);
  const differ = [...counts].map(([part, n]) =>
    say('{part}: {n} value differs|{part}: {n} values differ', { part, n }),
  );
  const words = same.length === 0 ? [] : [`${listed(same)} ${same.length === 1 ? 'is' : 'are'} the same`];
  return [...differ, ...words].join('; ');
}

/** Joins words into a list: `a, b and c`. */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** Returns each difference with its two sides; headers, which are numerous, are only named. */
export function describeDifferences({ differences }: MessageDifferences): readonly InputDifference[] {
  const side = (text: string | null): string => (text === null ? 'not sent' : shorten(text, maxSideLength));
  const isHeader = ({ part }: NamedDifference): boolean => part === 'headers';
  const lines = differences
    .filter((one) => !isHeader(one))
    .map(({ name, before, after }) => ({ text: name, sides: [side(before), side(after)] as const }));
  const headers = differences.filter(isHeader).map(({ name }) => shorten(name, maxSideLength));
  const more = headers.length - maxHeaderNames;
  const names = [...headers.slice(0, maxHeaderNames), ...(more > 0 ? [`${more} more`] : [])];
  return names.length === 0 ? lines : [...lines, { text: `headers: ${listed(names)}` }];
}

const maxSideLength = 60;
const maxHeaderNames = 3;

import { safely } from '#core/coded-error';
import { createRedactor, dump, fillPlaceholders, type Snapshot } from '#core/dump';
import { cutRecorded } from '../model/formatting.js';
import type {
  RecordedBody,
  RecordedCookie,
  RecordedHeaders,
  RecordedRequest,
} from '../model/profile-record.js';

const redactor = createRedactor();

export function readCookies(headers: RecordedHeaders): RecordedHeaders {
  return headers
    .filter(([name]) => name.toLowerCase() === 'cookie')
    .flatMap(([, value]) => value.split(';'))
    .filter((pair) => pair.trim() !== '')
    .map((pair) => splitPair(pair));
}

export function readSetCookies(headers: RecordedHeaders): RecordedCookie[] {
  return headers
    .filter(([name]) => name.toLowerCase() === 'set-cookie')
    .map(([, field]) => {
      const [pair = '', ...attributes] = field.split(';');
      const [name, value] = splitPair(pair);
      return { name, value, attributes: attributes.map((attribute) => splitPair(attribute)) };
    });
}

/** Decodes a target's query, whose secrets are already redacted. */
export function readTargetQuery(target: string): RecordedHeaders {
  const start = target.indexOf('?');
  if (start === -1) return [];
  const end = target.indexOf('#', start);
  return [...new URLSearchParams(target.slice(start + 1, end === -1 ? undefined : end))];
}

/** Parses a complete body as form data or JSON, depending on its content type. */
export function readParsed(body: RecordedBody | null): RecordedRequest['parsed'] {
  if (body === null || body.cut || body.encoding !== 'text') return null;
  const [type = ''] = body.contentType.toLowerCase().split(';');
  if (type.trim() === 'application/x-www-form-urlencoded') {
    const fields = new Map<string, string | string[]>();
    for (const [name, value] of new URLSearchParams(body.content)) {
      const previous = fields.get(name);
      if (Array.isArray(previous)) previous.push(value); // a copy for each value would be quadratic
      else fields.set(name, previous === undefined ? value : [previous, value]);
    }
    return { format: 'form', value: dump(fields, { redactor }) };
  }
  if (!/[/+]json$/.test(type.trim())) return null;
  return safely(() => ({ format: 'json', value: dump(JSON.parse(body.content), { redactor }) }), null);
}

function splitPair(pair: string): [string, string] {
  const equals = pair.indexOf('=');
  return equals === -1 ? [pair.trim(), ''] : [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
}

/** Returns the fields in an HTTP/1.1 head that begins with the status line, as alternating names and values. */
export function fieldsOfHead(head: string): string[] {
  const fields: string[] = [];
  for (let at = head.indexOf('\r\n') + 2; at > 1 && at < head.length;) {
    const end = head.indexOf('\r\n', at);
    if (end === -1) break;
    const line = head.slice(at, end);
    const colon = line.indexOf(':');
    if (colon !== -1) fields.push(line.slice(0, colon), withoutBlanks(line.slice(colon + 1)));
    at = end + 2;
  }
  return fields;
}

/**
 * Removes spaces and tabs around a value (RFC 9110 section 5.5), but not no-break spaces, which `trim` would remove.
 */
function withoutBlanks(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isBlank(text[from])) from++;
  while (from < to && isBlank(text[to - 1])) to--;
  return text.slice(from, to);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

/** Returns the first `Content-Type` in a written head; empty if there is none. */
export function typeOfHead(head: string): string {
  return /\r\ncontent-type:([^\r]*)/i.exec(head)?.[1]?.trim() ?? '';
}

const maxFilledLength = 8000;

/** Returns a log message with its placeholders replaced by context values. */
export function filledMessage(message: string, context: Snapshot | undefined): string {
  return cutRecorded(fillPlaceholders(message, context), Math.max(maxFilledLength, message.length));
}

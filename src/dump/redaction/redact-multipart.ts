import { decodePercent } from './decode-percent.js';
import type { NameAndText } from './redact-query.js';
import { redactedMark } from './redacted-mark.js';

/** The methods of a redactor that multipart bodies need. */
export interface PartRedactor extends NameAndText {
  json(json: string): string;
}

/**
 * Hides the content of parts with a secret name, or without a readable name, in a `multipart/…` body (RFC 2046 section 5.1,
 * RFC 7578), which may be truncated. Splits the body at `boundary`, as form parsers do; if it is missing or not in the
 * text, at the first line if that looks like a boundary.
 */
export function redactMultipart(text: string, boundary: string | undefined, redactor: PartRedactor): string {
  const delimiter = findDelimiter(text, boundary);
  if (delimiter === undefined) return redactor.text(text);
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  // The first delimiter may be at the very beginning, without a line end before it.
  const [preamble = '', ...parts] = (lineEnd + text).split(lineEnd + delimiter);
  const clean = parts.map((part) => redactPart(part, lineEnd, redactor));
  return [redactor.text(preamble), ...clean].join(lineEnd + delimiter).slice(lineEnd.length);
}

function findDelimiter(text: string, boundary: string | undefined): string | undefined {
  if (boundary !== undefined && boundary !== '' && text.includes(`--${boundary}`)) return `--${boundary}`;
  const end = text.slice(0, 200).search(/\r?\n/);
  return end > 2 && text.startsWith('--') ? text.slice(0, end) : undefined;
}

/** Redacts the text between two delimiters. */
function redactPart(part: string, lineEnd: string, redactor: PartRedactor): string {
  // The text after the closing delimiter.
  if (part.startsWith('--')) return redactor.text(part);
  const blank = part.indexOf(lineEnd + lineEnd);
  if (blank === -1) return part.trim() === '' ? part : lineEnd + redactedMark;
  const from = blank + lineEnd.length * 2;
  const head = redactor.text(part.slice(0, from));
  const content = part.slice(from);
  if (content === '') return head;
  const names = namesOf(part.slice(0, blank), lineEnd);
  if (names.length === 0 || names.some((name) => redactor.isSecretName(name))) return head + redactedMark;
  return head + (/^\s{0,20}[[{]/.test(content) ? redactor.json(content) : redactor.text(content));
}

/** Returns everything that a parser could interpret as the name of the part. */
function namesOf(head: string, lineEnd: string): string[] {
  const fields: string[] = [];
  for (const line of head.split(lineEnd)) {
    const last = fields.length - 1;
    if (last >= 0 && (line.startsWith(' ') || line.startsWith('\t'))) fields[last] += line;
    else fields.push(line);
  }
  return fields
    .filter((field) => field.slice(0, 40).trimStart().toLowerCase().startsWith('content-disposition'))
    .flatMap((field) => namesIn(field));
}

function namesIn(field: string): string[] {
  const values = splitParameters(field)
    .map((parameter) => readParameter(parameter))
    .filter(({ key }) => key.startsWith('name'))
    .map(({ value }) => value);
  // A name may be split: name*0=pass; name*1=word (RFC 2231).
  const whole = values.length > 1 ? [...values, values.join('')] : values;
  return whole.flatMap((value) => [value, decodePercent(value).replaceAll('\0', '')]);
}

/** Splits at each `;` outside quotes. Like the form parser, ignores text between a closing quote and the next `;`. */
function splitParameters(field: string): string[] {
  const parameters: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < field.length; at++) {
    const character = field[at];
    if (quoted && character === '\\') at++;
    else if (character === '"' && !quoted) quoted = true;
    else if (character === (quoted ? '"' : ';')) {
      parameters.push(field.slice(start, at));
      const end = field.indexOf(';', at);
      quoted = false;
      start = end === -1 ? field.length : end + 1;
      at = start - 1;
    }
  }
  return [...parameters, field.slice(start)];
}

/** Parses a parameter: `name = "a\"b"`, `NAME*=utf-8''a%62`. */
function readParameter(parameter: string): { key: string; value: string } {
  const equals = parameter.indexOf('=');
  if (equals === -1) return { key: '', value: '' };
  const key = parameter.slice(0, equals).replaceAll(/[ \t]/g, '').toLowerCase();
  const value = parameter
    .slice(equals + 1)
    .replaceAll(/["\\]/g, '')
    .trim();
  const extended = key.includes('*') ? value.split("'") : [];
  return { key, value: extended.length > 2 ? extended.slice(2).join("'") : value };
}

import { redactedMark } from './redacted-mark.js';
import type { NameAndText } from './redact-query.js';

/**
 * Hides the values of secret names at any depth of a JSON text, and redacts every other string as free text (which covers
 * JSON inside JSON). Tolerates truncated and malformed text; everything that is not hidden stays byte for byte.
 */
export function redactJson(json: string, redactor: NameAndText): string {
  let out = '';
  let last = 0;
  let at = json.indexOf('"');
  while (at !== -1) {
    const end = endOfString(json, at);
    const colon = skipSpace(json, end);
    const next =
      json[colon] === ':'
        ? replaceMember(json, { at, end, colon }, redactor)
        : replaceString(json, { at, end }, redactor);
    if (next.text !== undefined) {
      out += json.slice(last, next.from) + next.text;
      last = next.to;
    }
    at = json.indexOf('"', next.to);
  }
  return out + json.slice(last);
}

interface Replacement {
  text?: string;
  from: number;
  to: number;
}

function replaceMember(
  json: string,
  { at, end, colon }: { readonly at: number; readonly end: number; readonly colon: number },
  redactor: NameAndText,
): Replacement {
  const name = unescape(json.slice(at + 1, end - 1));
  const from = skipSpace(json, colon + 1);
  if (!redactor.isSecretName(name)) return { from, to: from };
  const to = endOfValue(json, from);
  const value = json.slice(from, to);
  const matters = !/^(?:null|true|false|""|\[\]|\{\})?$/.test(value);
  return matters ? { text: `"${redactedMark}"`, from, to } : { from, to };
}

function replaceString(
  json: string,
  { at, end }: { readonly at: number; readonly end: number },
  redactor: NameAndText,
): Replacement {
  const inner = json.slice(at + 1, json[end - 1] === '"' && end - 1 > at ? end - 1 : end);
  const value = unescape(inner);
  const clean = redactor.text(value);
  if (clean === value) return { from: at, to: end };
  return { text: JSON.stringify(clean), from: at, to: end };
}

/** Returns the index after the closing quote, or the length of the text. */
function endOfString(json: string, at: number): number {
  for (let index = at + 1; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === 92) index++;
    else if (code === 34) return index + 1;
  }
  return json.length;
}

function endOfValue(json: string, from: number): number {
  const first = json[from];
  if (first === '"') return endOfString(json, from);
  if (first !== '{' && first !== '[') {
    const rest = json.slice(from, from + 400).search(/[,\]}\s]/);
    return rest === -1 ? Math.min(json.length, from + 400) : from + rest;
  }
  let depth = 0;
  for (let index = from; index < json.length; index++) {
    const character = json[index];
    if (character === '"') index = endOfString(json, index) - 1;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth === 0) return index + 1;
  }
  return json.length;
}

function skipSpace(json: string, from: number): number {
  let index = from;
  while (index < json.length && json.charCodeAt(index) <= 32) index++;
  return index;
}

function unescape(inner: string): string {
  if (!inner.includes('\\')) return inner;
  try {
    const value: unknown = JSON.parse(`"${inner}"`);
    return typeof value === 'string' ? value : inner;
  } catch {
    return inner;
  }
}

import { safely } from '#core/coded-error';
import { secretVariables } from './redact-graphql.js';
import { redactTokens } from './redact-text.js';
import type { NameAndText } from './redact-url.js';
import { redactSecret, redactedMark } from './redacted-mark.js';
import {
  isPlainText,
  isPlainValue,
  isSecretLabel,
  labelledNames,
  labelNames,
  labelTextOf,
  privateKeyMembers,
} from './secret-names.js';

/** An object or a list that is open at the current position. */
interface Frame {
  /** Index where it begins. */
  readonly from: number;
  /** The object declares its `value` secret: `{"name":"password","value":"x"}`. */
  isLabelled: boolean;
  /** Values that are secret if the object is labelled, even by a later label. */
  readonly values: Replacement[];
  /** Start of an object or a list that is such a value; its end is known when it is closed. */
  openValue: number;
  /** Whether the object is a JSON Web Key, and its private members. */
  isKey: boolean;
  readonly keyValues: Replacement[];
  /** A list's first strings: a name-value pair has two. */
  readonly strings: Replacement[];
  /** The preceding string in an argument list: `["--password","x"]`. */
  before: string;
  /** The number of strings so far in a list of alternating names and values, such as Node's `rawHeaders`. */
  flat: number | undefined;
}

interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** JSON literals, and their prefixes at the end of truncated text. */
const literal = /true|false|null|(?:t|tr|tru|f|fa|fal|fals|n|nu|nul)$/g;
const hidden = `"${redactedMark}"`;

/**
 * Hides values with secret names at any depth in a JSON text, redacts every other string as free text (which covers
 * JSON within JSON), and hides tokens in names. Tolerates truncated text; text that is not JSON (`{'password': 'x'}`)
 * is also redacted as free text. Everything that is not hidden stays byte for byte. `variables`: further secret names.
 */
export function redactJson(json: string, redactor: NameAndText, variables?: ReadonlySet<string>): string {
  const reader = new JsonReader(json, redactor, variables);
  const out = replaced(json, reader.read());
  return reader.isForeign ? redactor.text(out) : out;
}

/** Members and lists in which a value can be secret although its own name is not. */
const contextual =
  /"(?:kty|val(?:ue)?s?|(?:old|new|default)(?:_?value)?|received|input|(?:original|rejected)value|from|to|before|after|previous|current|next|content|data)"\s{0,20}:|\[\s{0,20}"[^"\n]{1,100}"\s{0,20},\s{0,20}"/i;

/** Hides values in JSON within free text that are secret by their context: `{"name":"password","value":"x"}`. */
export function redactJsonInText(text: string, redactor: NameAndText): string {
  const found = contextual.exec(text);
  if (found === null) return text;
  const start = text.lastIndexOf('{', found.index);
  const list = text.lastIndexOf('[', found.index);
  const from = Math.max(0, Math.min(start === -1 ? list : start, list === -1 ? start : list));
  return text.slice(0, from) + replaced(text.slice(from), new JsonReader(text.slice(from), redactor).read());
}

function replaced(json: string, found: readonly Replacement[]): string {
  let out = '';
  let done = 0;
  for (const { from, to, text } of found.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (from < done) continue;
    out += json.slice(done, from) + text;
    done = to;
  }
  return out + json.slice(done);
}

class JsonReader {
  readonly #json: string;
  readonly #redactor: NameAndText;
  /** Variables that a GraphQL document in the text passes to arguments with secret names. */
  readonly #variables: ReadonlySet<string>;
  readonly #found: Replacement[] = [];
  readonly #frames: Frame[] = [];
  /** Start of a list of alternating names and values. */
  #flatList = -1;
  /** Whether text outside strings is not valid JSON. */
  isForeign = false;

  constructor(json: string, redactor: NameAndText, variables?: ReadonlySet<string>) {
    this.#json = json;
    this.#redactor = redactor;
    this.#variables =
      variables ??
      (json.includes('"variables"')
        ? secretVariables(json, (name) => redactor.isSecretName(name))
        : new Set());
  }

  read(): readonly Replacement[] {
    const json = this.#json;
    let done = 0;
    for (let at = 0; at < json.length; at++) {
      const code = json.charCodeAt(at);
      const isBracket = code === 91 || code === 93 || code === 123 || code === 125; // [ ] { }
      if (code !== 34 && !isBracket) continue;
      this.#gap(done, at);
      if (code === 34) at = this.#string(at) - 1;
      else if (code === 93 || code === 125) this.#close(at + 1);
      else
        this.#frames.push({
          from: at,
          isLabelled: false,
          values: [],
          openValue: -1,
          isKey: false,
          keyValues: [],
          strings: [],
          before: '',
          flat: at === this.#flatList ? 0 : undefined,
        });
      done = at + 1;
    }
    this.#gap(done, json.length);
    while (this.#frames.length > 0) this.#close(json.length);
    return this.#found;
  }

  #gap(from: number, to: number): void {
    if (this.isForeign || to - from < 2) return;
    this.isForeign = /[^\s\d,:.+\-eE]/.test(this.#json.slice(from, to).replaceAll(literal, ''));
  }

  /** Reads a name with its value, or a string. Returns the index after it. */
  #string(at: number): number {
    const json = this.#json;
    const end = endOfString(json, at);
    const colon = skipSpace(json, end);
    const frame = this.#frames.at(-1);
    if (json[colon] !== ':') return this.#value(at, end, frame);
    const name = unescape(json.slice(at + 1, end - 1));
    const clean = redactTokens(name);
    if (clean !== name) this.#found.push({ from: at, to: end, text: JSON.stringify(clean) });
    const from = skipSpace(json, colon + 1);
    if (/^raw_?(?:headers|trailers)$/i.test(name)) this.#flatList = from;
    const isSecret = this.#redactor.isSecretName(name) || this.#variables.has(name);
    const isLabelled = labelledNames.has(name.toLowerCase());
    if (labelNames.has(name.toLowerCase()) && frame !== undefined)
      frame.isLabelled ||= this.#isSecretLabel(name, from);
    if (frame !== undefined) {
      if (name === 'kty') frame.isKey = true;
      else if (privateKeyMembers.has(name) && json[from] === '"')
        frame.keyValues.push({
          from,
          to: endOfString(json, from),
          text: this.#hidden(from, endOfString(json, from)),
        });
    }
    if (name === 'variables' && json[from] === '"' && this.#variables.size > 0)
      return this.#encodedVariables(from, endOfString(json, from));
    if (!isSecret && !isLabelled) return from;
    const isOpened = json[from] === '{' || json[from] === '[';
    if (!isSecret && isOpened && frame !== undefined) {
      frame.openValue = from;
      return from;
    }
    const to = endOfValue(json, from);
    if (isOpened && isPlainText(name, json.slice(from, to))) return from;
    if (isSecret && this.#isPlain(name, from, to)) return to;
    if (this.#isWorthHiding(from, to))
      (isSecret ? this.#found : frame?.values)?.push({ from, to, text: this.#hidden(from, to) });
    return isSecret ? to : from;
  }

  /** GraphQL variables encoded as JSON text. */
  #encodedVariables(from: number, to: number): number {
    const text = unescape(contentOf(this.#json.slice(from, to)));
    const clean = redactJson(text, this.#redactor, this.#variables);
    if (clean !== text) this.#found.push({ from, to, text: JSON.stringify(clean) });
    return to;
  }

  /** The text that replaces a value; only strings are marked. */
  #hidden(from: number, to: number): string {
    if (this.#json[from] !== '"') return hidden;
    return JSON.stringify(redactSecret(unescape(contentOf(this.#json.slice(from, to)))));
  }

  #isWorthHiding(from: number, to: number): boolean {
    return !/^(?:null|true|false|""|\[\]|\{\}|\[redacted(?:-[\da-f]{4})?\])?$/.test(
      this.#json.slice(from, to),
    );
  }

  #isSecretLabel(label: string, from: number): boolean {
    const text = this.#labelText(from);
    return text !== undefined && isSecretLabel(label, text, (name) => this.#redactor.isSecretName(name));
  }

  /** A string, or a path as a list of names: `"path":["password"]`. */
  #labelText(from: number): string | undefined {
    const json = this.#json;
    if (json[from] === '"')
      return labelTextOf(unescape(contentOf(json.slice(from, endOfString(json, from)))));
    if (json[from] !== '[') return undefined;
    const [list] = /^\[[^[\]{}]{0,300}\]/.exec(json.slice(from, from + 302)) ?? [];
    return list === undefined ? undefined : labelTextOf(safely((): unknown => JSON.parse(list), undefined));
  }

  /** Whether a short value is a number or a word that is not secret. */
  #isPlain(name: string, from: number, to: number): boolean {
    if (to - from > 40) return false;
    const text = this.#json.slice(from, to);
    if (/^-?\d/.test(text)) return isPlainValue(name, Number(text));
    return text.startsWith('"') && text.length > 2 && isPlainValue(name, contentOf(text));
  }

  #value(at: number, end: number, frame: Frame | undefined): number {
    const value = unescape(contentOf(this.#json.slice(at, end)));
    const { before = '' } = frame ?? {};
    const isOption = before.startsWith('--') && this.#redactor.isSecretName(before.slice(2));
    const isFlatValue = frame?.flat !== undefined && frame.flat++ % 2 === 1;
    const clean =
      isOption || (isFlatValue && this.#redactor.isSecretName(before.slice(0, 300)))
        ? redactSecret(value)
        : this.#text(value);
    if (clean !== value) this.#found.push({ from: at, to: end, text: JSON.stringify(clean) });
    if (frame === undefined) return end;
    const name = frame.before;
    frame.before = isOption ? '' : value;
    if (frame.strings.length < 3) {
      const isPair = frame.strings.length === 1 && this.#redactor.isSecretName(name.slice(0, 300));
      frame.strings.push({
        from: at,
        to: end,
        text: isPair && value !== '' ? JSON.stringify(redactSecret(value)) : '',
      });
    }
    return end;
  }

  /** Redacts a string: as JSON if it is an object or a list, whose members may be secret by their context. */
  #text(value: string): string {
    return /^\s{0,20}"?[{[]\s{0,20}\\?["{[]/.test(value)
      ? redactJson(value, this.#redactor, this.#variables.size > 0 ? this.#variables : undefined)
      : this.#redactor.text(value);
  }

  /** Whether a list consists of exactly two strings. */
  #isPair(from: number, to: number, first: Replacement, second: Replacement): boolean {
    const gaps = [
      this.#json.slice(from + 1, first.from),
      this.#json.slice(first.to, second.from),
      this.#json.slice(second.to, Math.max(second.to, to - 1)),
    ];
    return gaps.map((gap) => gap.trim()).join('') === ',';
  }

  /** `to`: the index after the closing bracket. */
  #close(to: number): void {
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    if (frame.isLabelled) for (const value of frame.values) this.#found.push(value);
    if (frame.isKey) for (const value of frame.keyValues) this.#found.push(value);
    const [first, second, third] = frame.strings;
    if (first !== undefined && second !== undefined && second.text !== '' && third === undefined)
      if (this.#isPair(frame.from, to, first, second)) this.#found.push(second);
    const parent = this.#frames.at(-1);
    if (parent?.openValue === frame.from && this.#isWorthHiding(frame.from, to))
      parent.values.push({ from: frame.from, to, text: hidden });
  }
}

function contentOf(string: string): string {
  return string.length > 1 && string.endsWith('"') ? string.slice(1, -1) : string.slice(1);
}

/** Returns the index after the closing quote, or the text's length. */
function endOfString(json: string, at: number): number {
  for (let index = at + 1; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === 92) index++;
    else if (code === 34) return index + 1;
  }
  return json.length;
}

function endOfValue(json: string, from: number): number {
  const bare = /^[^"{[,\]}\s]{0,400}/.exec(json.slice(from, from + 400))?.[0].length ?? 0;
  if (bare > 0) return from + bare;
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

const escapes = /\\(?:u([\da-fA-F]{4})|([\s\S]))/g;
const controls = new Map(Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }));

/** Decodes a string's escapes. Keeps malformed ones: an exception for each string in a hostile text would be slow. */
function unescape(inner: string): string {
  if (!inner.includes('\\')) return inner;
  return inner.replace(escapes, (whole, code: string | undefined, sign = '') => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return controls.get(String(sign)) ?? (/["\\/]/.test(String(sign)) ? String(sign) : whole);
  });
}

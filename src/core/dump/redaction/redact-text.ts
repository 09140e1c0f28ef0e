import { redactPath, redactCodesInText } from './redact-url.js';
import { decodePercent, isRedacted, redactSecret, redactedMark } from './redacted-mark.js';
import {
  graphqlStart,
  graphqlVariable,
  redactDefaults,
  redactVariables,
  secretVariables,
} from './redact-graphql.js';
import { redactSql, type StatementRule } from './redact-sql.js';
import { redactColumns, redactTable } from './redact-table.js';
import { secretFormats } from './secret-formats.js';
import { isPlainText, isPlainValue, secretEndings } from './secret-names.js';

type IsSecretName = (name: string) => boolean;

/**
 * Redacts free text. Each rule looks for its own character or word, and reads the text once; a new rule is one line.
 */
export function redactText(
  text: string,
  isSecretName: IsSecretName,
  options: { readonly statements: StatementRule; readonly isDecoded?: boolean },
): string {
  let out = redactSql(text, isSecretName, options.statements);
  if (out.includes('-----BEGIN')) out = out.replace(pem, redactedMark);
  if (out.includes('Private-Lines: ')) out = out.replace(puttyKey, `$1 ${redactedMark}`);
  if (out.includes('//')) out = redactUserinfo(out);
  if (out.includes('/')) out = redactPath(out, isSecretName);
  out = redactTokens(out);
  if (out.includes('$')) out = out.replace(passwordHash, redactSecret);
  if (out.includes(';s:'))
    out = out.replace(serializedByPhp, (whole, head: string, name: string, value: string) =>
      isSecretName(name) ? head + redactSecret(value) : whole,
    );
  if (out.includes('value:'))
    out = out.replace(labelledInYaml, (whole, head: string, name: string, value: string) =>
      isSecretName(name) ? head + redactSecret(value) : whole,
    );
  if (out.includes('|') || out.includes('│')) out = redactTable(out, isSecretName);
  if (out.includes('\n')) out = redactColumns(out, isSecretName);
  const hasSpace = out.includes(' ');
  if (hasSpace && schemes.test(out)) out = out.replace(scheme, hideCredential);
  if (out.includes('</'))
    out = out.replace(element, (whole, tag: string, name: string, content: string) =>
      content.trim() !== '' && isSecretName(name) ? tag + redactSecret(content) : whole,
    );
  if (hasSpace && /token|key|secret|password/i.test(out)) out = out.replace(spokenToken, hideSpokenToken);
  if (out.includes('{') && out.includes('$')) out = redactDefaults(out, isSecretName);
  if (out.includes(' -') && commands.test(out))
    out = out.replace(commandOption, (_, head: string, value: string) => head + redactSecret(value));
  if (out.includes('--'))
    out = out.replace(option, (whole, name: string, gap: string, value: string) =>
      isSecretName(name) ? `--${name}${gap}${redactSecret(value)}` : whole,
    );
  if (hasSpace && hasQuote.test(out) && prose.test(out))
    out = out.replaceAll(proseSecret, (...found: string[]) => hideSpoken(found));
  if (options.isDecoded !== true && /%(?:25)*3d/i.test(out))
    out = out.replace(/[^\s"'`<>&?=]+/g, (word) => hideEncoded(word, isSecretName));
  if (out.includes('variables=')) out = redactVariables(out, isSecretName);
  if (hasSpace && codeWord.test(out)) out = redactSpokenCodes(out);
  out = redactCodesInText(out);
  if (!out.includes('=') && !out.includes(':')) return out;
  const variables = out.includes('variables') ? secretVariables(out, isSecretName) : undefined;
  if (variables === undefined || variables.size === 0) return redactPairs(out, isSecretName);
  return redactPairs(out, (name) => variables.has(name) || isSecretName(name));
}

const pem = /-----BEGIN [A-Z ]{0,40}-----[A-Za-z0-9+/=\s\\]{0,20000}(?:-----END [A-Z ]{0,40}-----)?/g;

/** The private part of a PuTTY key file. */
const puttyKey = /(Private-Lines: \d{1,4})[A-Za-z0-9+/=\s\\]{0,20000}(?:-MAC: [\da-f]{1,128})?/g;

/** Password hashes as `crypt` writes them, such as those of bcrypt, Argon2 and Apache: `$2b$10$…`. */
const passwordHash =
  /\$(?:apr1|[1567y]|2[abxy]?|argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d{1,3})?)\$[./A-Za-z0-9$=,+-]{16,300}/g;

/** A string after its name, serialized by PHP: `"password";s:3:"abc"`. */
const serializedByPhp = /("([\w.-]{1,100})";s:\d{1,6}:")([^"]{1,2000})/g;

/** A value after its name in YAML, as in Docker's and Kubernetes' lists of variables. */
const labelledInYaml =
  /(\b(?:name|key):[ \t]{0,4}["']?([\w.-]{1,100})["']?[ \t]{0,10}\r?\n[ \t]{0,40}value:[ \t]{1,4}["']?)([^\s"'][^\r\n"']{0,500})/g;

const schemes = /bearer|basic|digest|negotiate/i;
const scheme = /\b(bearer|basic|digest|negotiate)(\s{1,4})([A-Za-z0-9+/=_~.:,"-]{6,})/gi;

function hideCredential(whole: string, word: string, gap: string, value: string): string {
  return looksLikeCredential(value) ? `${word}${gap}${redactSecret(value)}` : whole;
}

/** An XML element that contains text only. */
const element =
  /(<(?:[\w.-]{1,50}:)?([A-Za-z_][\w.-]{0,100})(?:\s[^<>]{0,300})?>)(?:<!\[CDATA\[)?([^<>]{1,2000})(?=<\/|\]\]>)/g;

/** Commands that accept a password as a single-letter option. */
const commands = /curl|mysql|mariadb|redis-cli|sshpass/;
const commandOption = /(\s(?:-[uUpa]|--user|--proxy-user)(?:\s{1,4}|=)?["']?)([^\s"']{1,300})/g;

/** An option with its value as the next word: `--password x`. */
const option = /--([A-Za-z][\w.-]{0,100})(\s{1,4}["']?)(?![-\s])([^\s"']{1,500})/g;

const spokenWords = [...secretEndings, 'pin', 'otp', 'api[ _-]?key', 'mot de passe'].join('|');
const hasQuote = /["'`]/;
const prose = new RegExp(spokenWords, 'i');
/** A quoted value after a secret word: `Invalid password "x"`. */
const proseSecret = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(${spokenWords})(\s{1,3}(?:is\s|was\s|of\s)?)(["'\x60])([^"'\x60\n]{1,300})(?=["'\x60])`,
  'giu',
);
/**
 * Words that other messages use too, such as a parser's `Unexpected token "}"`; their values must look like secrets.
 */
const ambiguousWords = /^(?:secret|token|api)/i;

function hideSpoken([whole = '', word = '', gap = '', quote = '', value = '']: string[]): string {
  const isKept = isRedacted(value) || (ambiguousWords.test(word) && !(value.length >= 8 && /\d/.test(value)));
  return isKept ? whole : word + gap + quote + redactSecret(value);
}

/** A generated, unquoted value after a secret word: `failed with token x`. */
const spokenToken =
  /\b((?:access |refresh |api )?(?:token|key|secret|password) (?:is |was )?)(?=[A-Za-z_~+/-]{0,80}\d)([\w~+/-]{8,300}={0,2})(?=[\s,.;)\]]|$)/gi;

function hideSpokenToken(whole: string, head: string, value: string): string {
  const [digits, letters] = [value.replaceAll(/\D/g, ''), value.replaceAll(/[^A-Za-z]/g, '')];
  return digits.length >= 2 && letters.length >= 2 ? head + redactSecret(value) : whole;
}

const codeWord = /\b(?:code|otp|passcode|pin)\b/i;
const codeKinds =
  'otp|one[- ]?time|verification|confirmation|security|log[- ]?in|sign[- ]?in|activation|reset|authentication|2fa|mfa|sms|backup|recovery|access|unlock';
/** A one-time code after its name: `verification code: 123456`, `your OTP is 123456`. */
const codeAfter = new RegExp(
  String.raw`\b((?:(?:${codeKinds})[- ](?:code|passcode|pin)|otp|passcode)(?:\s{0,3}[:=]|\s(?:is|was))?\s{1,3}["']?)(?=[A-Za-z-]{0,12}\d)([A-Za-z\d]{4,12}(?:-[A-Za-z\d]{3,12})?)(?![\w-])`,
  'gi',
);
/** A one-time code before its name: `123456 is your code`. */
const codeBefore = /\b\d{4,10}(?= is your (?:[\w-]{1,20} ){0,3}(?:code|otp|passcode|pin)\b)/gi;

function redactSpokenCodes(text: string): string {
  return text.replace(codeAfter, `$1${redactedMark}`).replace(codeBefore, redactedMark);
}

/** Redacts a URL or form within a URL, encoded once or more: `next=%2Fx%3Ftoken%253Dy`. */
function hideEncoded(word: string, isSecretName: IsSecretName): string {
  if (!/%(?:25)*3d/i.test(word)) return word;
  let decoded = word;
  for (let level = 0; level < 4 && decoded.includes('%'); level++) decoded = decodePercent(decoded);
  return redactText(decoded, isSecretName, { statements: 'whole', isDecoded: true }) === decoded
    ? word
    : redactSecret(word);
}

/**
 * Redacts the part of URLs before the host, up to the last `@`: passwords contain `@`, `/` and `#` too. Without a password,
 * an `@` in a path or a query is left alone, and so is one in the query after a host.
 */
function redactUserinfo(text: string): string {
  let out = '';
  let done = 0;
  // Found once for all URLs before them, so that each character is examined a bounded number of times.
  const ends = createFinder(text, /[\s"'`<>]|:\/\//g);
  const hostEnds = createFinder(text, /[/?#\\]/g);
  const signs = createFinder(text, /@/g);
  const questions = createFinder(text, /\?/g);
  for (let at = text.indexOf('//'); at !== -1; at = text.indexOf('//', Math.max(done, at + 2))) {
    const from = at + 2;
    const sign = signs(from);
    if (sign === text.length) break;
    const end = Math.min(ends(from), from + maxAddress);
    if (sign >= end || !isAddressStart(text, at)) continue;
    const addressEnd = Math.min(end, questions(sign));
    const hasPassword = passwordStart.test(text.slice(from, addressEnd));
    const searched = hasPassword ? addressEnd : Math.min(addressEnd, hostEnds(from));
    const last = text.lastIndexOf('@', searched - 1);
    if (last <= from) continue;
    out += text.slice(done, from) + redactSecret(text.slice(from, last));
    done = last;
  }
  return out + text.slice(done);
}

const maxAddress = 2000;
const passwordStart = /^[^/?#@:[\]]{0,200}:(?!\d{0,5}(?:[/?#,;)\]}]|$))/;

/**
 * Whether a URL begins with these two slashes: after a scheme, or after a character that cannot precede them in a path.
 */
function isAddressStart(text: string, at: number): boolean {
  if (at === 0 || /[\s"'`=(,]/.test(text[at - 1] ?? '')) return true;
  return (
    text[at - 1] === ':' && /(?<![a-z])[a-z][a-z0-9+.-]{1,30}:$/i.test(text.slice(Math.max(0, at - 33), at))
  );
}

/** Returns a function that finds the first match at or after an index, or the length; the indexes must not decrease. */
function createFinder(text: string, pattern: RegExp): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found >= from) return found;
    pattern.lastIndex = from;
    return (found = pattern.exec(text)?.index ?? text.length);
  };
}

/**
 * Redacts values with secret names: `name=value`, `name: value`, `'name' => "value"`, also with quotes escaped as in
 * JSON within JSON. Reads the name backwards from each separator, so that each character is examined a bounded number
 * of times, and a value that is itself a name (`Error: password: x`) is also processed.
 */
function redactPairs(text: string, isSecretName: IsSecretName): string {
  let out = '';
  let done = 0;
  let before = 0;
  const separator = /[:=]/g;
  for (let found = separator.exec(text); found !== null; found = separator.exec(text)) {
    const name = nameBefore(text, found.index, before);
    before = found.index + 1;
    if (name === '' || !isSecretName(name)) continue;
    const value = valueAfter(text, found.index, name);
    if (value === undefined) continue;
    out += text.slice(done, value.from) + redactSecret(text.slice(value.from, value.to));
    before = done = separator.lastIndex = value.to;
  }
  return out + text.slice(done);
}

const quotedAtEnd = /(["'`])([^"'`\n]{1,100}?)\\{0,3}\1\]?$/;
const markAtEnd = /\[redacted(?:-[\da-f]{4})?\]$/;
const maxNameLength = 100;

function nameBefore(text: string, separator: number, start: number): string {
  let end = separator;
  while (end > start && separator - end < 3 && /[ \t]/.test(text[end - 1] ?? '')) end--;
  const last = text[end - 1] === ']' ? (text[end - 2] ?? '') : (text[end - 1] ?? '');
  if (last === '"' || last === "'" || last === '`')
    return quotedAtEnd.exec(text.slice(Math.max(start, end - maxNameLength - 5), end))?.[2] ?? '';
  let from = end;
  while (from > start && end - from < maxNameLength && isNameCharacter(text.charCodeAt(from - 1))) {
    // A replaced secret is no part of the name after it, just as the secret was none.
    if (text[from - 1] === ']' && markAtEnd.test(text.slice(Math.max(start, from - 15), from))) break;
    from--;
  }
  // In a string within a string, a line ends with the two characters `\n`.
  return text[from - 1] === '\\' && /^[nrt]/.test(text.slice(from, end))
    ? text.slice(from + 1, end)
    : text.slice(from, end);
}

const nameSigns = new Set(Array.from('$%-.[]_', (sign) => sign.charCodeAt(0)));

/** Letters of any alphabet, digits, and `$ % - . [ ] _`. */
function isNameCharacter(code: number): boolean {
  if (code > 127) return code !== 160;
  const lower = code | 32;
  return (lower >= 97 && lower <= 122) || (code >= 48 && code <= 57) || nameSigns.has(code);
}

interface Value {
  readonly from: number;
  readonly to: number;
}

const blockQuote = '"'.repeat(3);
const quotedStart = /\\{0,3}["'`]/y;
const bareValue = /(?:[^\s"'`<>,;&|)\]}]|[,;&|)\]}](?![\s"'`<>,;&|)\]}:]|$|[\w.%[\]-]{1,100}\s?[:=]))+/y;

function valueAfter(text: string, separator: number, name: string): Value | undefined {
  let from = separator + 1;
  while (/[>=]/.test(text[from] ?? '') && from < separator + 3) from++;
  if (text.startsWith(': ', from)) from++; // LDIF marks Base64 so
  const isDirect = !/\s/.test(text[from] ?? '');
  while (from < separator + 6 && /[ \t]/.test(text[from] ?? '')) from++;
  graphqlVariable.lastIndex = from;
  if (text[from] === '$' && graphqlStart.test(text) && graphqlVariable.test(text)) return undefined;
  if (text.startsWith(blockQuote, from)) {
    const end = text.indexOf(blockQuote, from + blockQuote.length);
    return { from: from + blockQuote.length, to: end === -1 ? text.length : end };
  }
  blockStart.lastIndex = from;
  if (blockStart.test(text))
    return indentedBlock(text, { name: separator - name.length, from: blockStart.lastIndex });
  quotedStart.lastIndex = from;
  const [quote] = quotedStart.exec(text) ?? [];
  if (quote !== undefined) {
    const start = from + quote.length;
    const to = endOfQuoted(text, start, quote);
    const quoted = text.slice(start, to);
    return isHarmless(quoted) || (quoted.length < 200 && isPlainValue(name, quoted))
      ? undefined
      : { from: start, to };
  }
  if (text[from] === '{' || text[from] === '[') {
    const value = bracketed(text, from);
    return value !== undefined && isPlainText(name, text.slice(value.from, value.to)) ? undefined : value;
  }
  if (text.startsWith('//', from)) return undefined;
  bareValue.lastIndex = from;
  const bare = bareValue.exec(text)?.[0] ?? '';
  const to = from + bare.length;
  if (sourceFile.test(name) && /^\d{1,7}(?::\d{1,7})?$/.test(bare)) return undefined;
  if (headerNames.test(name)) return headerValue(text, { from, to });
  if (isHarmless(bare) || (bare.length < 40 && isPlainValue(name, bare))) return undefined;
  // `token: password: x`: the value is the next name.
  if (bare.endsWith(':') && !looksLikeCredential(bare.slice(0, -1))) return undefined;
  const isSpaced = !isDirect || text[separator - 1] === ' ';
  return isSpaced && !isSpokenValue(text, bare, to) ? undefined : { from, to };
}

/** YAML's mark for a text on the following lines: `password: |`. */
const blockStart = /[|>][-+]?\d?[ \t]{0,20}\n/y;

/** The following lines that are indented further than the line with the name. */
function indentedBlock(
  text: string,
  { name, from }: { readonly name: number; readonly from: number },
): Value {
  const lineStart = text.lastIndexOf('\n', name) + 1;
  const indent = /^[ -]{0,100}/.exec(text.slice(lineStart, lineStart + 100))?.[0].length ?? 0;
  let to = from;
  while (to < text.length) {
    const spaces = /^ {0,200}/.exec(text.slice(to, to + 200))?.[0].length ?? 0;
    if (spaces <= indent && text[to + spaces] !== '\n') break;
    const end = text.indexOf('\n', to);
    to = end === -1 ? text.length : end + 1;
  }
  const content = text.slice(from, to);
  return { from: from + content.length - content.trimStart().length, to: from + content.trimEnd().length };
}

/** Whether text after a space is a value, not prose or code: it looks like a credential, or ends the line. */
function isSpokenValue(text: string, value: string, end: number): boolean {
  if (/^[\w$.]{1,100}\(/.test(value)) return false;
  const rest = text.slice(end, end + 3);
  const isLast = rest === '' || /^(?:[\r\n,;}\])]|\\n)/.test(rest);
  return isLast
    ? value.length >= 3 && !plainWords.test(value)
    : looksLikeCredential(value) && !/^[A-Z][a-z]+$/.test(value);
}

/** Words at the end of sentences, and types, that may follow a secret name: `password: required`. */
const plainWords =
  /^(?:required|missing|invalid|expired|empty|wrong|unknown|failed|denied|disabled|enabled|optional|expected|incorrect|mismatch|string|number|boolean|object|array|any|buffer|uint8array|date|uuid|promise|unset|none|yes|no|ok|valid|revoked|used|set)[.!?]?$/i;

/** File names followed by line and column: `token.js:1:2`. */
const sourceFile = /\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|java|php|html|css|json)$/;

const headerNames = /^(?:(?:proxy-)?authori[sz]ation|(?:set-)?cookie)$/i;
const schemeWord = /[A-Za-z][\w-]{0,30}[ \t]{1,4}(?=[^\s=])/y;
const headerWord = /[ \t]{0,3}(?:[^\s"'`=]|=(?:"[^"\n]{0,500}")?)+/y;

/** A header's value in a text: all cookies, or the credentials after an authorization scheme. */
function headerValue(text: string, { from, to }: Value): Value | undefined {
  schemeWord.lastIndex = from;
  const start = from + (schemeWord.exec(text)?.[0].length ?? 0);
  // The end of all words is determined only if they are hidden: they may be the rest of the text.
  firstWord.lastIndex = start;
  const first = firstWord.exec(text)?.[0] ?? '';
  if (start > from) {
    if (first.startsWith('[redacted')) {
      const end = endOfWords(text, start);
      return isRedacted(text.slice(start, end).replace(/[,.;]$/, '')) ? undefined : { from: start, to: end };
    }
    if (looksLikeCredential(first)) return { from: start, to: endOfWords(text, start) };
  }
  const bare = text.slice(from, to);
  if (isHarmless(bare) || !looksLikeCredential(bare)) return undefined;
  return { from, to: start > from ? to : Math.max(to, endOfWords(text, start)) };
}

/** Enough of a word to judge whether it looks like a credential. */
const firstWord = /(?:[^\s"'`=]|=(?:"[^" \n]{0,40}"?)?){1,40}/y;

/** Returns the end of a word and of the `name=value` words that follow it. */
function endOfWords(text: string, from: number): number {
  let end = from;
  headerWord.lastIndex = from;
  for (let next = headerWord.exec(text); next !== null; next = headerWord.exec(text)) {
    if (end > from && !next[0].includes('=')) break;
    end = headerWord.lastIndex;
  }
  return end;
}

/** Returns the index of the closing quote, escaped like the opening one. A doubled quote is part of the text. */
function endOfQuoted(text: string, start: number, open: string): number {
  const quote = open.at(-1) ?? '';
  const escapes = open.length - 1;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '\n' && quote !== '`') return at;
    if (character === '\\') {
      let end = at;
      while (text[end] === '\\') end++;
      if (text[end] === quote && end - at === escapes) return at;
      at = end - at > escapes || text[end] !== quote ? end : end - 1;
    } else if (character === quote) {
      if (quote !== "'" || text[at + 1] !== quote) return at;
      at++;
    }
  }
  return text.length;
}

/** The range of a list or an object with values, including brackets; types contain neither quotes nor digits. */
function bracketed(text: string, from: number): Value | undefined {
  const [placeholder] = /^(?:\{\w*\}|\[\]|\[object \w*\]|\[redacted)/.exec(text.slice(from, from + 60)) ?? [];
  if (placeholder !== undefined) return undefined;
  let depth = 0;
  const end = Math.min(text.length, from + 10_000);
  for (let at = from; at < end; at++) {
    const character = text[at] ?? '';
    if (character === '"' || character === "'") at = endOfQuoted(text, at + 1, character);
    else if (character === '{' || character === '[') depth++;
    else if ((character === '}' || character === ']') && --depth === 0)
      return /["'`\d]/.test(text.slice(from, at)) ? { from, to: at + 1 } : undefined;
  }
  return { from, to: end };
}

/** Returns whether a value is a literal, a scheme or a placeholder, and therefore not secret. */
function isHarmless(value: string): boolean {
  return (
    value === '' ||
    value.startsWith('[redacted') ||
    /^(?:null|undefined|true|false|bearer|basic|digest|negotiate|\?|\$\d{1,3}|\$?\{\w{0,40}\}|%s|\*+)[;,)]?$/i.test(
      value,
    )
  );
}

/** Returns whether a value looks like a credential: with digits, capitals or signs, or long. Prose has lowercase words. */
function looksLikeCredential(value: string): boolean {
  return (
    value.length > 20 ||
    (value.length >= 6 && /[0-9A-Z+/=_~]/.test(value)) ||
    (value.length >= 4 && /\d/.test(value))
  );
}

/** Hides keys of well-known services. */
export function redactTokens(text: string): string {
  return text.replace(secretFormats, redactSecret);
}

import { redactCodesInText } from './authorization-code.js';
import { redactedMark } from './redacted-mark.js';
import { redactElements } from './redact-elements.js';
import { redactSql, type StatementRule } from './redact-sql.js';
import { redactTokens, tokenBeginnings } from './token-shapes.js';

type IsSecretName = (name: string) => boolean;

/** Rules for free text. */
export interface TextRules {
  readonly isSecretName: IsSecretName;
  /** Whether there are custom secret names, which `suspiciousPattern` does not cover. */
  readonly customNames: boolean;
}

/** A quick test that most texts fail: a text without any of these contains no recognisable secret. */
const suspiciousPattern = new RegExp(
  'pin|mfa|cvc|cvv|ssn|mnemonic|card|code|ticket|saml|assertion|iban|cc.?number|dsn|connection|mdp|kennwort|curl|' +
    '://|bearer|basic|digest|pass|pwd|secret|token|key|auth|cookie|sess|cred|sig|csrf|xsrf|private|jwt|sid|otp|hmac|' +
    `code=|-----BEGIN|insert|replace|update|delete|select|merge|create|alter|identified|Failing row|duplicate|params: |${tokenBeginnings}`,
  'i',
);

const scheme = /\b(bearer|basic|digest|negotiate)(\s{1,4})([A-Za-z0-9+/=_.~:,"-]{6,})/gi;
const userinfo = /[^\s/?#@"'<>]{1,512}@/y;
const schemeEnd = /[a-z][a-z0-9+.-]{1,30}$/i;
const pem = /-----BEGIN [A-Z ]{0,40}-----[A-Za-z0-9+/=\s\\]{0,20000}(?:-----END [A-Z ]{0,40}-----)?/g;
/** `name=value`, `name: value`, `"name": "value"`, also with the quotes escaped as in JSON within JSON. */
const pair =
  /(?<![\w.\-[\]])([A-Za-z_][\w.\-[\]]{0,200})(\\{0,3}["']?)(\s{0,3}(?:=>|[=:])\s{0,3})(?:(\\{0,3}["'])((?:[^"'\\\n]|\\[^"'\n])*)|([^\s"'&;,)}\]>|]+))/g;

/** Credentials in curl commands: `curl -u name:password`, also those for a proxy. */
const curlUser = /(\s(?:-u|-U|--user|--proxy-user)(?:\s{1,4}|=)?["']?)[^\s"']{1,300}/g;
/** A quoted value after a secret word: `Invalid password "x"`. */
const proseSecretPattern =
  /\b(password|passphrase|passcode|passwd|passwort|kennwort|pin|otp|secret|token|api[ _-]?key)(\s{1,3}(?:is\s|was\s|of\s)?)(["'`])([^"'`\n]{1,300})(?=["'`])/gi;
/** Words that other messages use too, such as a parser's `Unexpected token "}"`; their values have to look like secrets. */
const ambiguousWords = /^(?:secret|token|api)/i;

/**
 * Redacts free text (a message, a log line, a stack): credentials after an authentication scheme, JSON web tokens, private
 * keys, the userinfo of URLs, values in SQL statements, and values next to a secret name.
 */
export function redactText(
  text: string,
  { isSecretName, customNames }: TextRules,
  statements: StatementRule = 'shape',
): string {
  if (isHexadecimal(text) || (text.length <= maxHarmlessLength && isWord(text))) return text;
  if (!customNames && !suspiciousPattern.test(text)) return text;
  return redactSuspicious(redactSql(text, isSecretName, statements), isSecretName, 0);
}

/** Returns whether a text has only hexadecimal digits and `-`, like UUIDs and request ids; no secret word is spelled so. */
function isHexadecimal(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isDigit = (code >= 48 && code <= 57) || (code >= 97 && code <= 102);
    if (!isDigit && code !== 45) return false;
  }
  return true;
}

/** Texts up to this length with only letters, digits, `-` and `_` contain no recognisable secret and are not searched. */
const maxHarmlessLength = 10;

function isWord(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isLetter = (code | 32) >= 97 && (code | 32) <= 122;
    if (!isLetter && !(code >= 48 && code <= 57) && code !== 45 && code !== 95) return false;
  }
  return true;
}

function redactSuspicious(text: string, isSecretName: IsSecretName, level: number): string {
  let out = text;
  if (out.includes('-----BEGIN')) out = out.replace(pem, redactedMark);
  out = redactUserinfo(out);
  out = out.replace(scheme, (whole, word: string, gap: string, value: string) =>
    looksLikeCredential(value) ? `${word}${gap}${redactedMark}` : whole,
  );
  out = redactTokens(out);
  if (level === 0 && out.includes('<')) out = redactElements(out, isSecretName);
  if (out.includes('curl')) out = out.replace(curlUser, `$1${redactedMark}`);
  out = out.replace(proseSecretPattern, (...found: string[]) => {
    const [whole = '', word = '', gap = '', quote = '', value = ''] = found;
    const isKept =
      value === redactedMark || (ambiguousWords.test(word) && !(value.length >= 8 && /\d/.test(value)));
    return isKept ? whole : word + gap + quote + redactedMark;
  });
  out = redactCodesInText(out);
  if (!out.includes('=') && !out.includes(':')) return out;
  return out.replace(pair, (...found: (string | undefined)[]) => {
    const [whole = '', name = '', close = '', between = '', open, quoted, bare = ''] = found;
    if (!isSecretName(name)) {
      // The value may contain a secret name: `next=/x?token=…`. Limited to three levels, so that `a=b=c=…` takes linear time.
      const head = name.length + close.length + between.length + (open?.length ?? 0);
      const rest = whole.slice(head);
      if (level >= 3 || !/[=:]/.test(rest)) return whole;
      return whole.slice(0, head) + redactSuspicious(rest, isSecretName, level + 1);
    }
    const value = quoted ?? bare;
    if (value === '' || value.startsWith('[redacted') || isHarmlessValue(value)) return whole;
    if (open === undefined && close === '' && between.trim() !== between && !looksLikeCredential(value))
      return whole;
    return `${name}${close}${between}${open ?? ''}${redactedMark}`;
  });
}

/** Redacts the userinfo of URLs. Searches for `://` first: a regular expression would try a match at every letter. */
function redactUserinfo(text: string): string {
  let out = '';
  let done = 0;
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    userinfo.lastIndex = at + 3;
    if (!userinfo.test(text) || !schemeEnd.test(text.slice(Math.max(0, at - 31), at))) continue;
    out += `${text.slice(done, at + 3)}${redactedMark}@`;
    done = userinfo.lastIndex;
    at = done - 3;
  }
  return out + text.slice(done);
}

/** Returns whether a value is a literal, a scheme or a placeholder of a statement, and therefore not secret. */
function isHarmlessValue(value: string): boolean {
  return /^(?:null|undefined|true|false|bearer|basic|digest|negotiate|\?|\$\d{1,3})$/i.test(value);
}

/** Returns whether a value looks like a credential: long, or with digits, capitals or signs. Prose has lowercase words. */
function looksLikeCredential(value: string): boolean {
  return value.length >= 6 && (/[0-9A-Z+/=_~]/.test(value) || value.length > 20);
}

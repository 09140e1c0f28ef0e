import { isProxy } from 'node:util/types';
import { isSessionRow, isSessionRowText } from './session-rows.js';

/**
 * Secret names. To hide another kind of value in every application, add its name to one of these lists. Names are split
 * into words (`DB_PASSWORD`, `dbPassword` and `db-password` are `db password`) and compared in lower case without
 * accents; several words are written as one (`apikey` also matches `X-Api-Key`).
 */
const listed = {
  /** Secret anywhere in a name: `accessToken`, `X-Csrf-Token`, `DB_PASSWORD`. */
  anywhere: [
    'authorization authorisation auth cookie cookies bearer dpop',
    'secret secrets token tokens jwt credential credentials creds signature sig hmac csrf xsrf otp totp mfa',
    'session sessions sessionid sessid phpsessid jsessionid sid sess',
    'apikey apikeys accesskey secretkey privatekey privkey honeycombteam codeverifier',
    'cvv cvc ssn iban creditcard cardnumber socialsecuritynumber',
    'crumb mnemonic recoveryphrase seedphrase securityanswer secretanswer passkey dsn databaseurl dburl',
    'pwd pw pass userpass upass dbpass mailpass smtppass mdp kennwort',
  ],
  /** Secret at the end of a name: `card_pin`, `oneTimeCode`, `SAMLResponse`. */
  atEnd: [
    'pin ticket pincode mfacode otpcode timecode verificationcode confirmationcode securitycode recoverycode',
    'recoverycodes backupcode backupcodes devicecode usercode authcode oauthcode accesscode unlockcode resetcode',
    '2facode tfacode factorcode smscode logincode activationcode magiccode',
    'samlresponse samlassertion clientassertion samlart wresult magiclink ccnumber connectionstring salt seed',
  ],
  /** Passwords and tokens. Also secret at the end of an unseparated name (`dbpassword`), and in messages (`password 'x'`). */
  endings: [
    'password passwords passwd passphrase passcode secret token csrftoken apikey accesskey secretkey',
    'passwort kennwort contrasena contrasenya motdepasse senha wachtwoord haslo losenord passord adgangskode heslo',
    'пароль паролем пароля 密码 密碼 口令 令牌 密钥 パスワード 비밀번호 parolachiave sifre salasana jelszo',
  ],
  /** Words that make a following `key` harmless: `publicKey`, `sort_key`. Any other makes it secret: `stripeKey`. */
  harmlessKeys: [
    'public primary foreign sort cache partition group lookup map translation message unique composite natural',
    'surrogate candidate object property i18n row column hot shortcut index react idempotency',
  ],
  /** Last words of names that describe a secret: `token_type`, `passwordLength`, `--token-file`. */
  harmlessEnds: [
    'type algorithm alg file length count ttl timeout expires expiry lifetime endpoint used usage limit budget remaining',
  ],
  /** Words after which `tokens` counts language-model tokens: `max_tokens`. */
  harmlessTokens: [
    'prompt max min total completion input output cached used reasoning thinking num audio image text new remaining',
  ],
  /** Last words in names whose values are secret even if they are short or numeric. */
  shortSecrets: [
    'pin pincode cvv cvc cvv2 cvc2 otp totp mfa ssn iban creditcard cardnumber ccnumber socialsecuritynumber number code codes',
  ],
  /** Headers that sound secret but are not: a record's token is only its id, a WebSocket key is a nonce. */
  harmless: [
    'sec-websocket-key x-debug-token x-debug-token-link x-previous-debug-token access-control-allow-credentials',
  ],
};

const wordsOf = (lists: readonly string[]): string[] =>
  lists.flatMap((list) => withoutAccents(list).split(' '));
const anywhere = new Set(wordsOf([...listed.anywhere, ...listed.endings]));
const atEnd = new Set(wordsOf(listed.atEnd));
const harmlessEnds = new Set(wordsOf(listed.harmlessEnds));
const harmlessTokens = new Set(wordsOf(listed.harmlessTokens));
const shortSecrets = new Set(wordsOf(listed.shortSecrets));
const harmlessKeys = new Set(wordsOf(listed.harmlessKeys));
export const secretEndings: readonly string[] = wordsOf(listed.endings);
/** Members that label another member in the same object, and the members they label: `{ name: 'password', value: 'x' }`. */
export const labelNames: ReadonlySet<string> = new Set(
  (
    'name key field id param header path type attribute property column variable label ' + 'instancepath loc'
  ).split(' '),
);
/** Members that hold the value that such a label describes. */
export const labelledNames: ReadonlySet<string> = new Set(
  (
    'value values val content data old new from to before after previous current next default ' +
    'oldvalue newvalue old_value new_value defaultvalue default_value ' +
    'received input originalvalue rejectedvalue'
  ).split(' '),
);
/** Private members of a JSON Web Key (RFC 7517, 7518), in an object with `kty`. */
export const privateKeyMembers: ReadonlySet<string> = new Set('d p q dp dq qi oth k'.split(' '));

/**
 * Returns whether a member such as `name` marks the values beside it as secret: `{ name: 'password' }`, `{ path:
 * '/user/password' }` of a JSON Patch. With a `type` label, `token` is a parser's token.
 */
export function isSecretLabel(label: string, text: string, isSecretName: (name: string) => boolean): boolean {
  const name = label.toLowerCase();
  if (name === 'type' && /^tokens?$/i.test(text)) return false;
  return isSecretName(/^(?:path|instancepath|loc)$/.test(name) ? memberOf(text) : text);
}

/**
 * Returns a label's text: a string, or a path as validators report it, a list of names and indexes. Undefined for other
 * values. Runs no foreign code.
 */
export function labelTextOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.slice(0, maxLabel);
  if (isProxy(value) || !Array.isArray(value) || value.length > maxPath) return undefined;
  const names = Array.from(
    { length: value.length },
    (_, at): unknown => Object.getOwnPropertyDescriptor(value, at)?.value,
  );
  const isPath = names.every((name) => typeof name === 'string' || typeof name === 'number');
  return isPath ? names.join('/').slice(0, maxLabel) : undefined;
}

const maxLabel = 300;
const maxPath = 20;

/** The member that a path refers to: `/passwords/0` and `/password/value` are about a password. */
function memberOf(path: string): string {
  const segments = path.split('/');
  while (segments.length > 1 && /^(?:\d*|-|values?|current|new|old)$/i.test(segments.at(-1) ?? ''))
    segments.pop();
  return segments.at(-1) ?? '';
}

const plainWords =
  /^(?:true|false|none|include|same-origin|omit|auto|off|on|yes|no|default|basic|bearer|digest|optional|required|anonymous|public|enabled|disabled)$/i;

/** Names of algorithms: `RS256`, `RSA-PSS`, `RSASSA-PKCS1-v1_5`, `sha256WithRSAEncryption`, `ecdsa-p256-sha256`. */
const algorithm =
  /^(?:[HREP]S(?:256|384|512)|(?:RSA(?:SSA|ES)?|(?:EC|Ed|ML-)?DSA|Ed(?:25519|448)|ECDH|HMAC|SHA|MD5|SSH|AES)(?:[-_/]?(?:RSA|PSS|OAEP|PKCS1|v1[._]5|(?:EC|Ed)?DSA|Ed25519|SHA|MD5|[12]|P?(?:44|65|87|128|192|224|256|384|512|521)|GCM|CBC|with|Encryption)){0,5})$/i;

/**
 * Returns whether a value under a secret name is harmless: a switch, a small number, a word, an algorithm. `token: 7`
 * is a count, `signature: 'f(a, b)'` a description, `session: { id: 3 }` a row (`isSessionRow`); PINs, codes and
 * passwords are always secret.
 */
export function isPlainValue(name: string, value: unknown): boolean {
  if (typeof value === 'boolean' || value === null || value === undefined || value === '') return true;
  const words = splitName(name);
  if (shortSecrets.has(words.at(-1) ?? '') || words.some((word) => shortSecrets.has(word))) return false;
  if (isPassword(words) || !soundsSecret(name)) return false; // a name that the application added
  if (typeof value === 'number') return Math.abs(value) < 1e9;
  if (typeof value === 'object') return isSessionName(words) && isSessionRow(value);
  if (typeof value !== 'string') return false;
  if (/^-?\d{1,3}$/.test(value) || plainWords.test(value) || algorithm.test(value)) return true;
  return words.at(-1) === 'signature' && /^[A-Za-z]{1,12}$|[\s(]/.test(value);
}

/** Like `isPlainValue`, for an object or a list in a text. */
export function isPlainText(name: string, text: string): boolean {
  return soundsSecret(name) && isSessionName(splitName(name)) && isSessionRowText(text);
}

/** Whether `session` is the only secret word, and the last: not in `authSession`, `session_token`. */
function isSessionName(words: readonly string[]): boolean {
  return /^sessions?$/.test(words.at(-1) ?? '') && !soundsSecret(words.slice(0, -1).join(' '));
}

function isPassword(words: readonly string[]): boolean {
  return words.some(
    (word) =>
      /^(?:pwd|pw|pass|mdp)$|pass(?:w|phrase|code|key)|kennwort|pass$/.test(word) || isForeignPassword(word),
  );
}

function isForeignPassword(word: string): boolean {
  return secretEndings.some((ending) => !/token|key$|secret/.test(ending) && word.endsWith(ending));
}
/** Words before `at` in names of points in time: `accessTokenExpiresAt`. */
const momentWords: ReadonlySet<string> = new Set(
  'expires expired issued created updated rotated revoked used'.split(' '),
);
/** Maximum number of words that are combined into one. */
const maxRun = 3;

/** Additional names to hide (`keys`), and names to show although they sound secret (`allow`); case, `-` and `_` are ignored. */
export interface RedactorOptions {
  keys?: readonly string[];
  allow?: readonly string[];
}

/** Creates the test for secret names. Results are cached (bounded), so that a known name costs one lookup. */
export function createSecretNameTest(options: RedactorOptions = {}): (name: string) => boolean {
  const known = new Map<string, boolean>();
  const ownNames = (process.env['LOOKBACK_SECRET_NAMES'] ?? '').split(/[\s,]+/).filter((name) => name !== '');
  const hidden = new Set([...ownNames, ...(options.keys ?? [])].map(normalizeName));
  const open = new Set([...wordsOf(listed.harmless), ...(options.allow ?? [])].map(normalizeName));
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const short = name.length > 256 ? name.slice(-256) : name;
    const normalized = normalizeName(short);
    const answer = hidden.has(normalized) || (!open.has(normalized) && soundsSecret(short));
    if (known.size >= 2000) known.clear();
    if (name.length <= 256) known.set(name, answer);
    return answer;
  };
}

function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function soundsSecret(name: string): boolean {
  const words = splitName(name);
  if (harmlessEnds.has(words.at(-1) ?? '')) return false;
  if (words.at(-1) === 'at' && momentWords.has(words.at(-2) ?? '')) return false;
  if (words.at(-1) === 'tokens' && harmlessTokens.has(words.at(-2) ?? '')) return false;
  for (let from = 0; from < words.length; from++) {
    let run = '';
    for (let to = from; to < words.length && to < from + maxRun; to++) {
      run += words[to] ?? '';
      if (anywhere.has(run) || (to === words.length - 1 && atEnd.has(run))) return true;
    }
    if (secretEndings.some((ending) => words[from]?.endsWith(ending))) return true;
  }
  const last = words.at(-1) ?? '';
  const before = words.at(-2);
  if (before === undefined) return false;
  return words[0] === 'private' || ((last === 'key' || last === 'keys') && !harmlessKeys.has(before));
}

/** Splits a name into words in lower case, without accents and trailing digits (`password2`). */
function splitName(name: string): readonly string[] {
  return withoutAccents(name)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => word.replace(/(?<![0-9])[0-9]+$/, ''))
    .filter((word) => word !== '');
}

function withoutAccents(text: string): string {
  if (/^[\x20-\x7E]*$/.test(text)) return text;
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('ł', 'l');
}

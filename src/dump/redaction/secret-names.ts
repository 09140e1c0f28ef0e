/** Words that make a name secret at any position: `accessToken`, `X-Csrf-Token`, `DB_PASSWORD`. */
const secretWords = new Set(
  (
    'authorization authorisation auth cookie cookies password passwords passwd passwort pwd pw pass passphrase passcode ' +
    'secret secrets token tokens jwt bearer credential credentials creds signature sig hmac session sessions sessionid ' +
    'sessid phpsessid jsessionid sid sess csrf xsrf csrftoken apikey apikeys apitoken accesskey secretkey privatekey ' +
    'otp totp cvv cvc ssn mnemonic creditcard cardnumber mfa iban dsn mdp kennwort'
  ).split(' '),
);

/** Words that make a name secret at its end, as one word or two: `card_pin`, `oneTimeCode`, `SAMLResponse`. */
const lastWords = new Set(
  (
    'pin ticket pincode mfacode otpcode timecode verificationcode confirmationcode securitycode recoverycode ' +
    'recoverycodes backupcode backupcodes devicecode usercode authcode samlresponse samlassertion clientassertion ' +
    'ccnumber connectionstring'
  ).split(' '),
);

/** Endings that make an unseparated name secret: `mytoken`, `dbpassword`. */
const secretEndings = [
  'password',
  'passwd',
  'passphrase',
  'secret',
  'token',
  'apikey',
  'accesskey',
  'secretkey',
  'passwort',
  'kennwort',
];

/** Words that make a following `key` harmless: `publicKey`, `sort_key`. */
const harmlessKeyWords = new Set(
  (
    'public primary foreign sort cache partition group lookup map translation message unique composite natural ' +
    'surrogate candidate object property i18n row column hot shortcut index react idempotency'
  ).split(' '),
);

/** Headers of lookback that sound secret but are not: the token of a record is only its id. */
const harmlessNames = ['x-debug-token', 'x-debug-token-link', 'x-previous-debug-token'];

/** Additional names to hide (`keys`), and names to show although they sound secret (`allow`); case, `-` and `_` are ignored. */
export interface RedactorOptions {
  keys?: readonly string[];
  allow?: readonly string[];
}

/** Creates the test for secret names. Results are cached (bounded), so that a known name costs one lookup. */
export function createSecretNameTest(options: RedactorOptions = {}): (name: string) => boolean {
  const known = new Map<string, boolean>();
  const hidden = new Set((options.keys ?? []).map(normalizeName));
  const open = new Set([...harmlessNames, ...(options.allow ?? [])].map(normalizeName));
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
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function soundsSecret(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map(withoutTrailingDigits)
    .filter((word) => word !== '');
  if (words.some((word) => secretWords.has(word) || secretEndings.some((ending) => word.endsWith(ending))))
    return true;
  const last = words.at(-1) ?? '';
  const before = words.at(-2);
  if (lastWords.has(last) || lastWords.has((before ?? '') + last)) return true;
  if (before === undefined) return false;
  if ((last === 'key' || last === 'keys') && !harmlessKeyWords.has(before)) return true;
  return words[0] === 'private' || hasSecretPair(words);
}

/** Removes trailing digits, as in `password2`. */
function withoutTrailingDigits(word: string): string {
  let end = word.length;
  while (end > 0 && word.charCodeAt(end - 1) <= 57) end--;
  return word.slice(0, end);
}

/** Returns whether two adjacent words form a secret one: `APIKey` and `passWord` are split into harmless words. */
function hasSecretPair(words: readonly string[]): boolean {
  return words.some((word, index) => {
    const pair = word + (words[index + 1] ?? '');
    return pair !== word && secretWords.has(pair);
  });
}

const firstValuePattern = String.raw`[^\s,]{1,300}\s{0,20}(?:,|from\s|as\s|where\s)`;
/**
 * The beginning of a statement that can contain values. Requires more than the keyword, because prose uses these words
 * too.
 */
const messagePattern = new RegExp(
  String.raw`\b(?:` +
    [
      String.raw`(?:insert|replace|merge)\s{1,20}(?:\w{1,20}\s{1,20}){0,3}into\s`,
      String.raw`delete\s{1,20}from\s`,
      String.raw`update\s{1,20}\S{1,300}\s{1,20}(?:as\s{1,20}\S{1,200}\s{1,20})?set\s`,
      String.raw`(?:create|alter)\s{1,20}(?:user|role|login|server)\s|identified\s{1,20}by\s|set\s{1,20}password\s`,
      String.raw`select\s{1,20}(?:distinct\s{1,20})?${firstValuePattern}`,
      String.raw`with\s{1,20}\S{1,200}\s{1,20}as\s{0,20}\(`,
      String.raw`pragma\s{1,20}(?:\w{1,40}\.)?(?:text|hex)?(?:re)?key(?:\s|=|\()`,
      String.raw`attach\s{1,20}(?:database\s{1,20})?\S{1,300}\s{1,20}as\s{1,20}\S{1,200}\s{1,20}key\s`,
    ].join('|') +
    ')',
  'i',
);
const statementPattern =
  /^\s{0,100}(?:select|with|insert|replace|update|delete|merge|call|do|pragma|attach)\b/i;
/**
 * Statements whose secrets have no telling name: account statements, encryption functions, and inserts without columns.
 */
const secretPattern =
  /^(?:create|alter|set|identified)\b|^\s{0,100}pragma\s{1,20}(?:\w{1,40}\.)?(?:text|hex)?(?:re)?key\b|^\s{0,100}attach\b|crypt\w{0,60}\s?\(|\b(?:digest|hmac|password)\s?\(|^\s{0,100}(?:insert|replace)\s{1,20}into\s{1,20}[^\s(]{1,200}\s{1,20}(?:values|select)\b/i;
/** Messages that databases append to a statement, with quoted names to keep. */
const namesOnlyPattern =
  /^(?:Unknown column|Unknown table|Table|Column|Data too long for column|Duplicate entry|Field) /;
const keyPattern = /Key \(((?:[^()]|\([^()]{0,100}\)){1,300})\)=\(/g;

/**
 * Selects the statements in a text whose values are hidden: all (`shape`), the ones that contain a secret name, or none
 * (`whole`).
 */
export type StatementRule = 'shape' | 'named' | 'whole';

/** Hides data repeated in database errors: values in statements, rows and keys become `?`; table names stay. */
export function redactSql(
  text: string,
  isSecretName: (name: string) => boolean,
  rule: StatementRule,
): string {
  if (rule === 'whole' || !text.includes(' ')) return text;
  const row = hideRow(text);
  const named = hideEntry(hideKey(row, isSecretName), isSecretName);
  // With `named`, the text is a statement.
  const start = rule === 'named' && statementPattern.test(named) ? 0 : named.search(messagePattern);
  if (start === -1) return named;
  const sql = named.slice(start);
  const isAccount = secretPattern.test(sql);
  const isHidden =
    rule === 'shape' || isAccount || (sql.match(/[A-Za-z_][\w$]{0,200}/g) ?? []).some(isSecretName);
  return isHidden
    ? named.slice(0, start) + hideValues(isAccount ? hideBareWords(sql) : sql, { isAccount })
    : named;
}

/** Account passwords and file keys, which some databases accept without quotes; other words allowed there are kept. */
const bareWord =
  /\b(identified\s{1,20}by\s{1,20}|pragma\s{1,20}(?:\w{1,40}\.)?(?:text|hex)?(?:re)?key\s{0,20}[=(]\s{0,20})(?!(?:password|values|random)\s|random$|\[redacted)[^\s"'`?$;,()]{1,300}/gi;

function hideBareWords(sql: string): string {
  return sql.replace(bareWord, '$1?');
}

/** Introduces the arguments that Redis repeats for an unknown command. */
const argumentHeads = ['with args beginning with: '];

/**
 * Hides the row in PostgreSQL and SQL Server errors, and the parameters in Drizzle and Redis errors; none has an end
 * mark.
 */
function hideRow(text: string): string {
  for (const head of ['Failing row contains (', 'duplicate key value is (', '\nparams: ', ...argumentHeads]) {
    const at = text.indexOf(head);
    if (at === -1 || (head === '\nparams: ' && !text.includes('Failed query: '))) continue;
    return `${text.slice(0, at + head.length)}?${head.endsWith('(') ? ')' : ''}`;
  }
  return text;
}

/** Hides the key in PostgreSQL errors: `Key (email)=(a@b) already exists.` */
function hideKey(text: string, isSecretName: (name: string) => boolean): string {
  if (!text.includes('Key (')) return text;
  for (const found of text.matchAll(keyPattern)) {
    const columns = found[1] ?? '';
    if (!columns.split(/[^\w$]/).some((column) => isSecretName(column))) continue;
    const start = found.index + found[0].length;
    if (text.startsWith('?', start)) return text;
    const end = text.lastIndexOf(')');
    return `${text.slice(0, start)}?${end > start ? text.slice(end) : ''}`;
  }
  return text;
}

/** Hides the value in MySQL errors: `Duplicate entry 'a@b' for key 'user.email'`. */
function hideEntry(text: string, isSecretName: (name: string) => boolean): string {
  const head = "Duplicate entry '";
  const middle = "' for key '";
  const at = text.indexOf(head);
  const end = text.lastIndexOf(middle);
  if (at === -1 || end < at) return text;
  const name = text.slice(end + middle.length, end + middle.length + 300);
  return isSecretName(name) ? `${text.slice(0, at + head.length)}?${text.slice(end)}` : text;
}

/** Replaces quoted texts, and numbers of four or more digits, by `?`. */
function hideValues(sql: string, { isAccount }: { readonly isAccount: boolean }): string {
  const quoting = quotingOf(sql);
  const token =
    /["']|(?<!\[redacted-|[\w.$"`?])\d{4,}(?:\.\d+)?\b|\$(?:[A-Za-z_]\w{0,60})?\$|\s- (?=[A-Z])|\bvalues\s{0,20}\(/gi;
  let isList = false;
  let out = '';
  let done = 0;
  for (let found = token.exec(sql); found !== null; found = token.exec(sql)) {
    const [mark] = found;
    const at = found.index;
    if (mark.endsWith('(')) isList = true;
    if (mark.endsWith(' ') && namesOnlyPattern.test(sql.slice(at + 3, at + 40))) break;
    if (mark.endsWith('(') || mark.endsWith(' ')) continue;
    if (mark.startsWith('$')) token.lastIndex = endOfDollars(sql, mark, token.lastIndex);
    if (mark === "'" || mark === '"') token.lastIndex = endOfText(sql, at);
    const isValue =
      quoting === 'values' ||
      (quoting === 'both' && (isList || isCompared(sql, at))) ||
      (isAccount && isCredential(sql, at));
    if (mark === '"' && !isValue) continue;
    out += `${sql.slice(done, at)}?`;
    done = token.lastIndex;
  }
  return out + sql.slice(done);
}

/** Returns what double quotes enclose: names if the first name is quoted with them, values if names are in backticks. */
function quotingOf(sql: string): 'names' | 'values' | 'both' {
  if (/^[\w\s]{1,100}"/.test(sql)) return 'names';
  const quote = sql.search(/["'`]/);
  return sql[quote] === '`' ? 'values' : 'both';
}

function isCompared(sql: string, at: number): boolean {
  return /(?:[=<>]|like)\s{0,5}$/i.test(sql.slice(Math.max(0, at - 12), at));
}

/** Whether text in double quotes is a credential in an account statement: `identified by "x"`, `password("x")`, `key = "x"`. */
function isCredential(sql: string, at: number): boolean {
  return /(?:\b(?:by|to|values|as|\w{0,20}password|\w{0,8}key)\s{0,5}[=(]?|=)\s{0,5}$/i.test(
    sql.slice(Math.max(0, at - 50), at),
  );
}

/** Returns the index after a dollar-quoted text: `$$x$$`, `$tag$x$tag$`. */
function endOfDollars(sql: string, mark: string, from: number): number {
  const end = sql.indexOf(mark, from);
  return end === -1 ? sql.length : end + mark.length;
}

/**
 * Returns the index after the closing quote: the last one if there is a backslash, which dialects treat differently.
 */
function endOfText(sql: string, open: number): number {
  const quote = sql[open] ?? '';
  for (let at = open + 1; at < sql.length; at++) {
    const character = sql[at];
    if (character === '\\') return Math.max(sql.lastIndexOf(quote) + 1, at + 1);
    if (character !== quote) continue;
    if (sql[at + 1] !== quote) return at + 1;
    at++;
  }
  return sql.length;
}

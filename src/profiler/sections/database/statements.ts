import type { Redactor } from '#core/dump';
import { remembered } from '../define-section.js';

/** The column that a placeholder's value belongs to, where the statement reveals it. */
export interface Placeholder {
  readonly column: string | null;
  readonly isSecret: boolean;
}

/** A recorded statement and its placeholders. */
export interface Statement {
  readonly sql: string;
  readonly placeholders: readonly Placeholder[];
}

/**
 * Start of an SQL statement. Only SQL is cached, because other databases' commands may contain request data anywhere.
 */
const statementPattern = /^\s*(?:select|with|insert|update|delete|replace|merge|begin|commit|rollback)\b/i;
/** Quoted column names qualified by their table: the only double-quoted texts that are certainly names. */
const dottedNamePattern = /"[^"]*"(?:\."[^"]*")+/g;
/**
 * Literals, which may be request data: strings, numbers, comments, and double-quoted text where databases read strings.
 */
const literalPattern = /'|--|\/\*|\$\D|(?<![\w$?:@])\d|(?:[=<>]|\blike|\([^()]*)\s{0,9}"/i;

/** Page size in a `limit` clause, which is not personal data. */
const pageLengthPattern = /\blimit \d{1,4}\b/gi;

/**
 * Returns a statement without secrets, and its placeholders. Statements without literals come from program text and are
 * cached.
 */
export const readStatement: (text: string, redactor: Redactor) => Statement = remembered(
  (sql, redactor) => ({
    sql: redactor.text(sql, { statements: 'named' }),
    placeholders: namesOfPlaceholders(sql).map((columns) => ({
      column: columns[0] ?? null,
      isSecret:
        columns.length === 0
          ? isUnknown(sql, redactor)
          : accounts.test(sql) ||
            columns.some((column) => hashes.test(column) || redactor.isSecretName(column)),
    })),
  }),
  { max: 500, isKept: (text, { sql }) => sql === text && isWithoutValues(text) },
);

/** Returns whether values without a column may be secret: in an insert without column names, or with a secret one. */
function isUnknown(sql: string, redactor: Redactor): boolean {
  const [, columns] =
    /^\s*(?:insert|replace)\s[^(]{1,300}?(?:\(([^()]{1,5000})\)|\bvalues\b|\bselect\b)/i.exec(sql) ?? [];
  if (columns === undefined && /^\s*(?:insert|replace)\s/i.test(sql)) return true;
  if (columns?.split(',').some((column) => redactor.isSecretName(column)) === true) return true;
  if (accounts.test(sql)) return true;
  // Rows whose columns are named elsewhere: `with n (password) as (values (?))`, `from (values (?)) as v (password)`.
  return (
    /\bvalues\b|\bunnest\b/i.test(sql) &&
    (sql.match(/[a-z_][\w$]{0,200}/gi) ?? []).some((name) => redactor.isSecretName(name))
  );
}

/** Statements that set passwords or keys, whose values belong to no column. */
const accounts =
  /^\s*(?:(?:create|alter)\s+(?:user|role|login|server)\b|set\s+password\b|pragma\s+(?:\w{1,40}\.)?(?:text|hex)?(?:re)?key\b|attach\b)|\bidentified\s+by\b/i;

function isWithoutValues(sql: string): boolean {
  if (!statementPattern.test(sql)) return false;
  return !literalPattern.test(
    sql.replaceAll(dottedNamePattern, 'name').replaceAll(pageLengthPattern, 'limit'),
  );
}

/** Tokens needed to name placeholders: quoted texts, names, placeholders, punctuation. */
const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\?|\$\d+|[a-z_][\w$]*|[(),.]|<=|>=|<>|!=|[=<>]/gi;
const comparison = /^(?:=|<|>|<=|>=|<>|!=|like|ilike|in|between|and|not|is|any|[(),])$/i;

const keyword = /^(?:select|from|where|set|values|returning|on|case|when|then|else|end|default|null)$/i;

/** Returns the possible columns of each placeholder's value, likeliest first, as far as the statement reveals them. */
function namesOfPlaceholders(sql: string): string[][] {
  const names: string[][] = [];
  const lists = [findInsertedRows(sql), ...findComparedRows(sql)].filter((list) => list !== undefined);
  let rows = lists.shift();
  let column: string | null = null;
  let isAlias = false; // the name after `as` is an alias, not a column
  const json = createMemberReader();
  for (const { 0: text, index } of sql.matchAll(token)) {
    if (sql.startsWith('::', index - 2)) continue; // a type cast
    if (rows !== undefined && index >= rows.start && !rows.take(text)) rows = lists.shift();
    const end = index + text.length;
    json.take(text, sql.slice(Math.max(0, index - 3), index), sql.slice(end, end + 3));
    if (text === '?' || /^\$\d{1,5}$/.test(text)) {
      const index = text === '?' ? names.length : Number(text.slice(1)) - 1;
      while (names.length <= index) names.push([]);
      const found = [nameBehind(sql.slice(end, end + 200)), json.name() ?? null, rows?.column() ?? column];
      names[index]?.push(...found.filter((name) => name !== null));
    } else if (isAlias) column = null;
    else if (isName(text))
      column = isCalled(sql, end) && !(column === null && hashes.test(text)) ? column : unquote(text);
    else if (!comparison.test(text) && text !== '.') column = null;
    isAlias = /^as$/i.test(text);
  }
  return names;
}

/** Functions that take JSON members or settings by name. */
const memberFunctions = /^(?:jsonb?_\w{1,60}|set_config|hstore)$/i;
/** A member in a JSON value: `$.user.password`, `{user,password}`. */
const memberPath = /^'(?:\$|\{)/;

/**
 * Tracks the JSON member that the next value belongs to: `json_set(data, '$.password', ?)`, `data->>'password' = ?`.
 */
function createMemberReader(): {
  readonly take: (text: string, before: string, after: string) => void;
  readonly name: () => string | undefined;
} {
  const calls: { readonly takesMembers: boolean; member: string | undefined }[] = [];
  let previous = '';
  /** Member selected by an operator, to be compared with the next value. */
  let compared: string | undefined;
  return {
    take(text, before, after) {
      if (text === '(') calls.push({ takesMembers: memberFunctions.test(previous), member: undefined });
      else if (text === ')') calls.pop();
      else if (text.startsWith("'")) {
        const call = calls.at(-1);
        if (/[-#]>{1,2}\s?$/.test(before)) compared = lastMember(text);
        else if (memberPath.test(text) || (call?.takesMembers === true && /^\s{0,2},/.test(after)))
          if (call !== undefined) call.member = lastMember(text);
      } else if (isName(text) && !isCalled(after, 0)) compared = undefined;
      previous = text;
    },
    name: () => compared ?? calls.findLast(({ member }) => member !== undefined)?.member,
  };
}

/**
 * Returns whether a value is a path to a secret JSON member, so that the next value is secret: `json_set(data, ?, ?)`.
 */
export function isSecretMember(value: unknown, redactor: Redactor): boolean {
  if (typeof value !== 'string' || value.length > 300 || !/^(?:\$[.[]|\{[^:]*\}$)/.test(value)) return false;
  const name = lastMember(value);
  return name !== undefined && redactor.isSecretName(name);
}

function lastMember(path: string): string | undefined {
  return path.match(/[\p{L}\p{N}_-]{1,100}/gu)?.findLast((part) => !/^\d+$/.test(part));
}

/** Functions whose arguments are secrets. */
const hashes = /crypt|digest|hmac|^(?:md5|sha\d{1,3}|password)$/i;

/** Returns the name after a placeholder: `$1 = password`, `$1::text as password`, `$1 = crypt(`. */
function nameBehind(rest: string): string | null {
  const [whole = '', name = ''] = behind.exec(rest) ?? [];
  if (name === '' || keyword.test(name)) return null;
  return isCalled(rest, whole.length) && !hashes.test(name) ? null : name;
}

const behind = /^(?:::[a-z][\w[\]]{0,40})?\s{0,9}(?:as\s{1,9}|(?:=|<>|!=)\s{0,9})["`]?([a-z_]\w{0,100})/i;

/** Tracks rows whose columns are listed before them, token by token. */
interface Rows {
  readonly start: number;
  /** Reads the next token; returns false after the last row. */
  take(text: string): boolean;
  /** Returns the current value's column; undefined outside rows, or if there are more values than columns. */
  column(): string | undefined;
}

/** The rows after `values` in an insert. */
function findInsertedRows(sql: string): Rows | undefined {
  const insert = /^\s*(?:insert|replace)\s[^(]{1,300}\(([^()]{1,5000})\)[^()]{0,60}?\bvalues?(?=\s*\()/i.exec(
    sql,
  );
  if (insert === null) return undefined;
  return createRows(insert[1] ?? '', { start: insert[0].length, rowDepth: 1 });
}

/** A list of columns that is compared with, or set to, rows: `(id, password) = ($1, $2)`, `(a, b) in (($1, $2))`. */
const comparedColumns =
  /\(\s{0,9}((?:["`\w.]{1,200}\s{0,9},\s{0,9}){1,20}["`\w.]{1,200})\s{0,9}\)\s{0,9}(?:=|<>|!=|(?:not\s{1,9})?in\b)\s{0,9}(?:row\s{0,9})?(?=\(\s{0,9}(\(?))/gi;

function findComparedRows(sql: string): readonly Rows[] {
  return Array.from(sql.matchAll(comparedColumns), ({ 0: whole, 1: columns = '', 2: second, index }) =>
    createRows(columns, { start: index + whole.length, rowDepth: second === '(' ? 2 : 1 }),
  );
}

/** `rowDepth`: how many brackets are open in a row. */
function createRows(
  list: string,
  { start, rowDepth }: { readonly start: number; readonly rowDepth: number },
): Rows {
  const columns = list.split(',').map((column) => unquote(column.trim().replace(/^.*\./s, '')));
  let depth = 0;
  let index = 0;
  return {
    start,
    take(text) {
      if (text === '(' && ++depth === rowDepth) index = 0;
      else if (text === ')') depth--;
      else if (text === ',' && depth === rowDepth) index++;
      return depth > 0 || /^[(),]$/.test(text);
    },
    column: () => (depth >= rowDepth ? columns[index] : undefined),
  };
}

/** Returns whether the name that ends here is a function, whose arguments belong to the previous column. */
function isCalled(sql: string, end: number): boolean {
  return sql.startsWith('(', end) || sql.startsWith(' (', end);
}

function isName(text: string): boolean {
  return /^["`]|^[a-z_]/i.test(text) && !comparison.test(text) && !keyword.test(text);
}

function unquote(name: string): string {
  return name.replace(/^["`]|["`]$/g, '');
}

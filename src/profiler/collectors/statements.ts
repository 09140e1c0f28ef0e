import type { Redactor } from '#dump';
import { dbLimits } from './db-section.js';

/** What one placeholder's value belongs to. */
export interface Placeholder {
  readonly column: string | null;
  readonly isSecret: boolean;
}

/** A statement as it is kept, and what its text shows. */
export interface Statement {
  /** Cut, and without secrets. */
  readonly sql: string;
  readonly placeholders: readonly Placeholder[];
  /** Characters. */
  readonly weight: number;
}

const maxCached = 500;

/** How a statement begins whose text is the program's; commands of other databases may hold anything. */
const statementPattern = /^\s*(?:select|with|insert|update|delete|replace|merge|begin|commit|rollback)\b/i;
/** Names of columns behind those of their tables: the only texts in double quotes that are names for certain. */
const dottedNamePattern = /"[^"]*"(?:\."[^"]*")+/g;
/**
 * What may come from a request: texts, numbers (not those of placeholders and names), comments, and double quotes that are
 * compared or stand in brackets, where some databases read a text.
 */
const literalPattern = /'|--|\/\*|\$\D|(?<![\w$?:@])\d|(?:[=<>]|\blike|\([^()]*)\s{0,9}"/i;

/** The length of a page, which says nothing of a visitor. */
const pageLengthPattern = /\blimit \d{1,4}\b/gi;

/**
 * Statements by their text, each looked into once. Only those are remembered whose values are all placeholders, the
 * length of a page aside: such a text is the program's, which has few of them. One with values in it may be a visitor's.
 */
export class Statements {
  readonly #redactor: Redactor;
  readonly #known = new Map<string, Statement>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  take(text: string): Statement {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const statement = this.#read(text);
    if (statement.sql !== text || !isWithoutValues(text)) return statement;
    if (this.#known.size >= maxCached) this.#known.clear();
    this.#known.set(text, statement);
    return statement;
  }

  #read(text: string): Statement {
    const cut = text.slice(0, dbLimits.text);
    const sql = this.#redactor.text(cut, { statements: 'named' });
    return {
      sql,
      placeholders: namePlaceholders(cut).map((column) => ({
        column,
        isSecret: column !== null && this.#redactor.isSecretName(column),
      })),
      weight: sql.length,
    };
  }
}

function isWithoutValues(sql: string): boolean {
  if (!statementPattern.test(sql)) return false;
  return !literalPattern.test(
    sql.replaceAll(dottedNamePattern, 'name').replaceAll(pageLengthPattern, 'limit'),
  );
}

/** What a statement is made of, as far as names of values need it: quoted texts, names, placeholders, brackets. */
const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\?|\$\d+|[a-z_][\w$]*|[(),.]|<=|>=|<>|!=|[=<>]/gi;
const comparison = /^(?:=|<|>|<=|>=|<>|!=|like|ilike|in|between|and|not|is|any|[(),])$/i;

const keyword = /^(?:select|from|where|set|values|returning|on|case|when|then|else|end)$/i;

/**
 * For each placeholder of a statement the column that its value belongs to, where the text shows it: `a = ?`,
 * `a in (?, ?)`, `insert into t (a, b) values (default, ?)`. Used to know which values are secrets.
 */
export function namePlaceholders(sql: string): (string | null)[] {
  const names: (string | null)[] = [];
  let rows = findInsertedRows(sql);
  let column: string | null = null;
  let isAlias = false; // what follows `as` names what stands before it
  for (const { 0: text, index } of sql.matchAll(token)) {
    if (rows !== undefined && index >= rows.start && !rows.take(text)) rows = undefined;
    if (text === '?' || /^\$\d+$/.test(text)) names.push(rows?.column() ?? column);
    else if (isAlias) column = null;
    else if (isName(text)) column = isCalled(sql, index + text.length) ? column : unquote(text);
    else if (!comparison.test(text) && text !== '.') column = null;
    isAlias = /^as$/i.test(text);
  }
  return names;
}

/** The rows behind `values` of an insert, read token by token. */
interface InsertedRows {
  /** Where they begin in the statement. */
  readonly start: number;
  /** Reads the next token; false after the last row. */
  take(text: string): boolean;
  /** Of the value that is being read; undefined outside of rows and where there are more values than columns. */
  column(): string | undefined;
}

function findInsertedRows(sql: string): InsertedRows | undefined {
  const insert = /^\s*(?:insert|replace)\s[^(]{1,300}\(([^()]{1,5000})\)[^()]{0,60}?\bvalues?(?=\s*\()/i.exec(
    sql,
  );
  if (insert === null) return undefined;
  const columns = (insert[1] ?? '').split(',').map((column) => unquote(column.trim()));
  let depth = 0;
  let place = 0;
  return {
    start: insert[0].length,
    take(text) {
      if (text === '(' && ++depth === 1) place = 0;
      else if (text === ')') depth--;
      else if (text === ',' && depth === 1) place++;
      return depth > 0 || /^[(),]$/.test(text);
    },
    column: () => (depth > 0 ? columns[place] : undefined),
  };
}

/** Whether the name that ends here is that of a function: its arguments belong to the column before it. */
function isCalled(sql: string, end: number): boolean {
  return sql.startsWith('(', end) || sql.startsWith(' (', end);
}

function isName(text: string): boolean {
  return /^["`]|^[a-z_]/i.test(text) && !comparison.test(text) && !keyword.test(text);
}

function unquote(name: string): string {
  return name.replace(/^["`]|["`]$/g, '');
}

import type { Redactor } from '#dump';
import { dbLimits } from './db-section.js';
import { namePlaceholders } from './name-placeholders.js';

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

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

/** Statements by their text. An application has few, and asks them again and again: each is looked into once. */
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
    // One with a secret in it, or of great length, is not kept in memory.
    if (statement.sql !== text) return statement;
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

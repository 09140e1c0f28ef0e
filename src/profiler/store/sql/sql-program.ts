import type { SqlRow } from './sql-reader.js';

/** A statement, in which `$1` stands for the first value. */
export interface SqlStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A sequence of statements, each of which can depend on the rows of those before it. */
export type SqlProgram<Result> = Generator<SqlStatement, Result, readonly SqlRow[]>;

/** Runs one statement of a program and returns its rows. */
export function* query(text: string, values: readonly unknown[] = []): SqlProgram<readonly SqlRow[]> {
  return yield { text, values };
}

/** Runs a program with a synchronous driver. */
export function runSync<Result>(
  program: SqlProgram<Result>,
  rows: (text: string, values: readonly unknown[]) => readonly SqlRow[],
): Result {
  let step = program.next([]);
  while (step.done !== true) step = program.next(rows(step.value.text, step.value.values));
  return step.value;
}

/** Runs a program with an asynchronous driver. */
export async function runAsync<Result>(
  program: SqlProgram<Result>,
  rows: (text: string, values: readonly unknown[]) => Promise<readonly SqlRow[]>,
): Promise<Result> {
  let step = program.next([]);
  while (step.done !== true) step = program.next(await rows(step.value.text, step.value.values));
  return step.value;
}

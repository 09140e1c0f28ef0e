import type { SqlRow } from './sql-reader.js';

/** A statement, in which `$1` stands for the first value. */
export interface SqlStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Work of several statements, each of which sees the rows of those before it. */
export type SqlProgram<Result> = Generator<SqlStatement, Result, readonly SqlRow[]>;

/** A step of a program. */
export function* ask(text: string, values: readonly unknown[] = []): SqlProgram<readonly SqlRow[]> {
  return yield { text, values };
}

/** Runs a program where statements are run at once. */
export function runAtOnce<Result>(
  program: SqlProgram<Result>,
  rows: (text: string, values: readonly unknown[]) => readonly SqlRow[],
): Result {
  let step = program.next([]);
  while (step.done !== true) step = program.next(rows(step.value.text, step.value.values));
  return step.value;
}

/** Runs a program where each statement is waited for. */
export async function runInTurn<Result>(
  program: SqlProgram<Result>,
  rows: (text: string, values: readonly unknown[]) => Promise<readonly SqlRow[]>,
): Promise<Result> {
  let step = program.next([]);
  while (step.done !== true) step = program.next(await rows(step.value.text, step.value.values));
  return step.value;
}

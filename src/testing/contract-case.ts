/**
 * One promise of a port. Contract suites are lists of these, for any test runner:
 * `for (const { name, run } of checkExpiringStore(open)) it(name, run)`.
 */
export interface ContractCase {
  readonly name: string;
  /** Throws (an AssertionError) where the promise is not kept. */
  run(): Promise<void>;
}

/** A contract from a table: what is promised, and what finds out whether it is kept. */
export function contractOf(promises: Readonly<Record<string, () => Promise<void>>>): readonly ContractCase[] {
  return Object.entries(promises).map(([name, run]) => ({ name, run }));
}

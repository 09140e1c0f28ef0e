/**
 * One test case of a port's contract. Contract suites are lists of cases for any test runner:
 * `for (const { name, run } of checkExpiringStore(open)) it(name, run)`.
 */
export interface ContractCase {
  readonly name: string;
  /** Throws an `AssertionError` if the contract is not met. */
  run(): Promise<void>;
}

/** Creates a contract suite from functions, keyed by case name. */
export function createContract(
  cases: Readonly<Record<string, () => Promise<void>>>,
): readonly ContractCase[] {
  return Object.entries(cases).map(([name, run]) => ({ name, run }));
}

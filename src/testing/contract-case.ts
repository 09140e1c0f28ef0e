/**
 * One promise of a port. Contract suites are lists of these, for any test runner:
 * `for (const { name, run } of checkExpiringStore(open)) it(name, run)`.
 */
export interface ContractCase {
  readonly name: string;
  /** Throws (an AssertionError) where the promise is not kept. */
  run(): Promise<void>;
}

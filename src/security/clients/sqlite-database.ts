/** The part of `node:sqlite` that is used; `DatabaseSync` of Node's core and of `@photostructure/sqlite` fit. */
export interface SqliteClient {
  exec(sql: string): void;
  prepare(sql: string): {
    get(...values: (string | number)[]): unknown;
    run(...values: (string | number)[]): { changes: number | bigint };
  };
}

export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs a statement, in which `$1` is the first value and `@record` the store's `record` table. */
export type RunSql = (text: string, values?: readonly unknown[]) => Promise<readonly SqlRow[]>;

/** The differences between databases. */
export interface SqlDialect {
  readonly types: Readonly<Record<'text' | 'integer' | 'id' | 'real' | 'bytes' | 'json', string>>;
  /** Maximum number of rows per `INSERT`. */
  readonly rowsPerInsert: number;
  /** Expression for the database's current time in milliseconds. */
  readonly now: string;
  /** Statement for the bytes in `used`, if the database knows them more precisely than the sum of what was written. */
  readonly usedBytes?: string;
  /** Rounds down a non-negative number. */
  readonly floor: (expression: string) => string;
  /** Converts milliseconds since the epoch to a readable time. */
  readonly toReadable: (column: string) => string;
  readonly collected: (name: string) => string;
  /** Matches text against a `LIKE` pattern, ignoring the case of ASCII letters. */
  readonly like: (text: string, pattern: string) => string;
}

/** A store's tables, while statements run on them. */
export interface Tables extends SqlDialect {
  readonly run: RunSql;
  /** Maximum bytes in use, for databases that need additional space or have a small disk. */
  readonly maxBytes: number;
}

/**
 * Every transaction survives a crash of this process; with `isOnDisk`, also a server crash. SQLite never waits for the
 * disk.
 */
export interface WriteOptions {
  readonly isOnDisk: boolean;
}

/** A database that holds a store's tables. Its methods throw coded errors. */
export interface SqlDatabase {
  /** A human-readable sentence about a change to the database. The reporter clears it. */
  notice: string | undefined;
  read<Result>(work: (tables: Tables) => Promise<Result>): Promise<Result>;
  /** Runs statements in a transaction, exclusive across processes: either all changes are made or none. */
  write<Result>(work: (tables: Tables) => Promise<Result>, options: WriteOptions): Promise<Result>;
  close(): Promise<void>;
}

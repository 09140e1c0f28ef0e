export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs a statement in which `$1` stands for the first value, and `@record` for the table `record` of the store. */
export type RunSql = (text: string, values?: readonly unknown[]) => Promise<readonly SqlRow[]>;

/** In what the databases differ. */
export interface SqlDialect {
  readonly types: Readonly<Record<'text' | 'integer' | 'id' | 'real' | 'bytes' | 'json', string>>;
  /** Number of rows that one `INSERT` brings at most. */
  readonly rowsPerInsert: number;
  /** The current time of the database in milliseconds. */
  readonly now: string;
  /** Statement for the bytes in `used`, where the database knows them better than the sum of what was written. */
  readonly usedBytes?: string;
  /** The integer at or below a number that is not negative. */
  readonly floor: (expression: string) => string;
  /** Converts milliseconds since the epoch to a point in time that people read. */
  readonly toReadable: (column: string) => string;
  readonly collected: (name: string) => string;
  /** Compares a text with a pattern of `LIKE`, ignoring the case of ASCII letters. */
  readonly like: (text: string, pattern: string) => string;
}

/** The tables of a store, while statements run on them. */
export interface Tables extends SqlDialect {
  readonly run: RunSql;
  /** Bytes that may be in use, where the database takes further ones or its disk is small. */
  readonly maxBytes: number;
}

/** A transaction outlives this process in any case; `isOnDisk`: a crash of the server as well. SQLite never waits for it. */
export interface WriteOptions {
  readonly isOnDisk: boolean;
}

/** A database that has the tables of a store. Its methods throw coded errors. */
export interface SqlDatabase {
  /** What happened to the database, as a sentence for people. Who reports it removes it. */
  notice: string | undefined;
  read<Result>(work: (tables: Tables) => Promise<Result>): Promise<Result>;
  /** Runs statements in a transaction, while no other process is in one: all of their changes are made, or none. */
  write<Result>(work: (tables: Tables) => Promise<Result>, options: WriteOptions): Promise<Result>;
  close(): Promise<void>;
}

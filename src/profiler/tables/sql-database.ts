/** A row by the names of its columns. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs statements in which `$1` stands for the first value. */
export type RunSql = (text: string, values?: readonly unknown[]) => Promise<readonly SqlRow[]>;

/**
 * How safe a transaction is when it resolves. It outlives this process in any case; `isOnDisk`: a crash of the server as
 * well. SQLite waits for the disk in neither case.
 */
export interface WriteOptions {
  readonly isOnDisk: boolean;
}

/** A database that has the tables of a store. Its methods throw coded errors. */
export interface SqlDatabase {
  readonly dialect: SqlDialect;
  /** Runs statements that only read. */
  read<Result>(work: (run: RunSql) => Promise<Result>): Promise<Result>;
  /** Runs statements in a transaction, while no other process is in one: all of their changes are made, or none. */
  write<Result>(work: (run: RunSql) => Promise<Result>, options: WriteOptions): Promise<Result>;
  close(): Promise<void>;
  /** Returns the bytes in use, where the database knows them better than the sum of what was written. */
  usedBytes?(run: RunSql): Promise<number>;
  /** Bytes that may be in use, where the database takes further ones or its disk is small. */
  readonly maxBytes?: number;
  /** Returns what happened to the database since the last call, as a sentence for people. */
  takeNotice(): string | undefined;
}

/** In what the databases differ. */
export interface SqlDialect {
  readonly types: Readonly<Record<'text' | 'integer' | 'id' | 'real' | 'time' | 'bytes' | 'json', string>>;
  /** Number of rows that one `INSERT` brings at most. */
  readonly rowsPerInsert: number;
  /** The current time of the database in milliseconds. */
  readonly now: string;
  table(name: string): string;
  /** Converts milliseconds to a point in time. */
  toTime(expression: string): string;
  /** Converts a point in time to milliseconds. */
  toMilliseconds(column: string): string;
  /** The integer at or below a number that is not negative. */
  floor(expression: string): string;
  /** Converts a point in time to what people read. */
  toReadable(column: string): string;
  /** Returns the number of a collector. */
  collected(name: string): string;
  /** Compares a text with a pattern of `LIKE`, ignoring the case of ASCII letters. */
  like(text: string, pattern: string): string;
}

/** Values of a statement, added one after the other. */
export class SqlValues {
  readonly all: unknown[] = [];

  /** Adds a value and returns its placeholder. */
  add(value: unknown): string {
    return `$${this.all.push(value)}`;
  }
}

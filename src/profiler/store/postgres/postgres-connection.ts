import type pg from 'pg';
import { storeErrors } from '../policy/error-codes.js';
import type { RemoteOptions } from '../remote/remote-store.js';
import type { SqlRow } from '../sql/sql-reader.js';
import { toPostgresError } from './postgres-failure.js';

/** Milliseconds: for a connection, and for the answer to a statement. */
const timeoutsMs = { connection: 2000, statement: 5000 };
const maxConnections = 4;

/** Runs statements; of a text with several, gives the rows of the last. Throws coded errors. */
export interface Statements {
  rows(text: string, values?: readonly unknown[]): Promise<readonly SqlRow[]>;
  /** The values of a query as the server's own bytes: those of a `bytea` would come as text otherwise, twice as long. */
  copy(query: string): Promise<readonly (readonly Buffer[])[]>;
}

/** The connections of this process, made where they are needed and again after they broke. */
export class PostgresConnection implements Statements {
  readonly #pool: pg.Pool;
  readonly #name: string;

  constructor(driver: typeof pg, { address, name }: Pick<RemoteOptions, 'address' | 'name'>) {
    this.#name = name;
    this.#pool = new driver.Pool({
      connectionString: address,
      max: maxConnections,
      connectionTimeoutMillis: timeoutsMs.connection,
      query_timeout: timeoutsMs.statement,
      keepAlive: true,
      application_name: 'lookback',
    });
    // A connection that breaks while it is idle: the next one is opened when it is needed.
    this.#pool.on('error', () => undefined);
    // One that breaks between two statements of a transaction: the next of them fails.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  rows(text: string, values: readonly unknown[] = []): Promise<readonly SqlRow[]> {
    return this.#withClient(async (client) => rowsOf(await client.query<SqlRow>(text, [...values])));
  }

  copy(query: string): Promise<readonly (readonly Buffer[])[]> {
    return this.#withClient((client) => copyOut(client, query));
  }

  /** Commits what `work` did, or nothing of it. `longest`: milliseconds that one of its statements may take. */
  transaction<Result>(
    work: (transaction: Statements) => Promise<Result>,
    { longest = timeoutsMs.statement }: { readonly longest?: number } = {},
  ): Promise<Result> {
    return this.#withClient(async (client) => {
      const result = await work({
        async rows(text, values = []) {
          const statement = { text, values: [...values], query_timeout: longest };
          return rowsOf(await client.query<SqlRow>(statement));
        },
        copy: (query) => copyOut(client, query),
      });
      await client.query('COMMIT');
      return result;
    });
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #withClient<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    let client: pg.PoolClient | undefined;
    let failure: unknown;
    try {
      return await work((client = await this.#pool.connect()));
    } catch (error) {
      failure = error;
      throw toPostgresError(error, this.#name);
    } finally {
      // A connection that failed may be in any state: it is not used again.
      client?.release(failure !== undefined);
    }
  }
}

/** Loads the client. Throws `PROFILER_STORE_CLIENT`. */
export async function loadPostgres(): Promise<typeof pg> {
  try {
    return (await import('pg')).default;
  } catch (error) {
    throw storeErrors.create('PROFILER_STORE_CLIENT', { name: 'pg' }, { cause: error });
  }
}

function rowsOf(result: pg.QueryResult<SqlRow> | readonly pg.QueryResult<SqlRow>[]): readonly SqlRow[] {
  return 'rows' in result ? result.rows : (result.at(-1)?.rows ?? []);
}

/** Bytes in front of the first row of a copy. */
const copyHeaderBytes = 19;

function copyOut(client: pg.PoolClient, query: string): Promise<readonly (readonly Buffer[])[]> {
  return new Promise((resolve, reject) => {
    const messages: Buffer[] = [];
    // As pg has it for a statement that speaks for itself (`pg-copy-streams` is one); it puts its time-out around `callback`.
    const statement = {
      submit: (connection: unknown): void =>
        (connection as { query(text: string): void }).query(`COPY (${query}) TO STDOUT (FORMAT binary)`), // what pg gives it
      handleCopyData: ({ chunk }: { readonly chunk: Buffer }): unknown => messages.push(Buffer.from(chunk)), // it is written over
      handleCommandComplete: (): void => undefined,
      handleReadyForQuery: (): void => statement.callback(null),
      handleError: (error: unknown): void => statement.callback(error),
      callback: (error: unknown): void =>
        error === null ? resolve(rowsOfCopy(Buffer.concat(messages))) : reject(error),
    };
    client.query(statement);
  });
}

/** Rows of the binary form (postgresql.org/docs/current/sql-copy.html); of a value that is null, no bytes. */
function rowsOfCopy(bytes: Buffer): readonly (readonly Buffer[])[] {
  const rows: Buffer[][] = [];
  for (let at = copyHeaderBytes; at + 2 <= bytes.length;) {
    const count = bytes.readInt16BE(at);
    if (count < 0) break;
    at += 2;
    rows.push(
      Array.from({ length: count }, () => {
        const length = Math.max(0, bytes.readInt32BE(at));
        at += 4 + length;
        return bytes.subarray(at - length, at);
      }),
    );
  }
  return rows;
}

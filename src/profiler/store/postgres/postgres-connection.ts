import type pg from 'pg';
import { storeErrors } from '../policy/error-codes.js';
import type { RemoteOptions } from '../remote/remote-store.js';
import type { SqlRow } from '../sql/sql-reader.js';
import { toPostgresError } from './postgres-failure.js';

/** Timeouts in milliseconds, for connecting and for a statement. */
const timeoutsMs = { connection: 2000, statement: 5000 };
const maxConnections = 4;

/** Runs SQL statements. If a text contains several, only the rows of the last are returned. Throws coded errors. */
export interface Statements {
  rows(text: string, values?: readonly unknown[]): Promise<readonly SqlRow[]>;
  /** Returns the values of a query in the server's binary format. As text, a `bytea` would be twice as long. */
  copy(query: string): Promise<readonly (readonly Buffer[])[]>;
}

/** The connection pool of this process. Connections are opened on demand, and again after they break. */
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
    // A connection may break while it is idle: the next one is opened on demand.
    this.#pool.on('error', () => undefined);
    // If a connection breaks between two statements of a transaction, the next statement fails.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  rows(text: string, values: readonly unknown[] = []): Promise<readonly SqlRow[]> {
    return this.#withClient(async (client) => rowsOf(await client.query<SqlRow>(text, [...values])));
  }

  copy(query: string): Promise<readonly (readonly Buffer[])[]> {
    return this.#withClient((client) => copyOut(client, query));
  }

  /**
   * Commits the transaction that `work` begins; commits nothing if `work` fails. `statementTimeoutMs` applies to each
   * of its statements.
   */
  transaction<Result>(
    work: (transaction: Statements) => Promise<Result>,
    { statementTimeoutMs = timeoutsMs.statement }: { readonly statementTimeoutMs?: number } = {},
  ): Promise<Result> {
    return this.#withClient(async (client) => {
      const result = await work({
        async rows(text, values = []) {
          const statement = { text, values: [...values], query_timeout: statementTimeoutMs };
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
      // A connection that failed may be in any state, so it is discarded.
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

/** Bytes before the first row of a copy. */
const copyHeaderBytes = 19;

function copyOut(client: pg.PoolClient, query: string): Promise<readonly (readonly Buffer[])[]> {
  return new Promise((resolve, reject) => {
    const messages: Buffer[] = [];
    // A query object in the form that pg accepts from packages such as `pg-copy-streams`. pg wraps `callback` for its
    // timeout.
    const statement = {
      submit: (connection: unknown): void =>
        (connection as { query(text: string): void }).query(`COPY (${query}) TO STDOUT (FORMAT binary)`), // pg passes its connection
      handleCopyData: ({ chunk }: { readonly chunk: Buffer }): unknown => messages.push(Buffer.from(chunk)), // copied, because pg reuses the buffer
      handleCommandComplete: (): void => undefined,
      handleReadyForQuery: (): void => statement.callback(null),
      handleError: (error: unknown): void => statement.callback(error),
      callback: (error: unknown): void =>
        error === null ? resolve(rowsOfCopy(Buffer.concat(messages))) : reject(error),
    };
    client.query(statement);
  });
}

/** Parses the binary copy format (postgresql.org/docs/current/sql-copy.html). A null value becomes an empty buffer. */
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

import type pg from 'pg';
import { storeErrors } from '../policy/error-codes.js';
import type { RemoteOptions } from '../remote/remote-store.js';
import { toPostgresError } from './postgres-failure.js';

/** Milliseconds: for a connection, and for the answer to a statement. */
const timeoutsMs = { connection: 2000, statement: 5000 };
const maxConnections = 4;

export type PostgresRow = Readonly<Record<string, unknown>>;

/** Runs statements; of a text with several, gives the rows of the last. Throws coded errors. */
export interface Statements {
  rows(text: string, values?: readonly unknown[]): Promise<readonly PostgresRow[]>;
}

/** One connection, inside a transaction. */
export interface Transaction extends Statements {
  /** Runs `COPY … FROM STDIN` with these bytes. */
  copy(text: string, bytes: Buffer): Promise<void>;
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
    // A connection that breaks while nobody uses it: the next one is made when it is needed.
    this.#pool.on('error', () => undefined);
    // One that breaks between two statements of a transaction: the next of them fails.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async rows(text: string, values: readonly unknown[] = []): Promise<readonly PostgresRow[]> {
    try {
      return rowsOf(await this.#pool.query<PostgresRow>(text, [...values]));
    } catch (error) {
      throw toPostgresError(error, this.#name);
    }
  }

  /** Commits what `work` did, or nothing of it. `longest`: milliseconds that one of its statements may take. */
  async transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    { longest = timeoutsMs.statement }: { readonly longest?: number } = {},
  ): Promise<Result> {
    let client: pg.PoolClient | undefined;
    let failure: unknown;
    try {
      const used = (client = await this.#pool.connect());
      const result = await work({
        async rows(text, values = []) {
          const statement = { text, values: [...values], query_timeout: longest };
          return rowsOf(await used.query<PostgresRow>(statement));
        },
        copy: (text, bytes) => copyFrom(used, text, bytes),
      });
      await used.query('COMMIT');
      return result;
    } catch (error) {
      failure = error;
      throw toPostgresError(error, this.#name);
    } finally {
      // A connection that failed may be in any state: it is not used again.
      client?.release(failure !== undefined);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
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

function rowsOf(
  result: pg.QueryResult<PostgresRow> | readonly pg.QueryResult<PostgresRow>[],
): readonly PostgresRow[] {
  return 'rows' in result ? result.rows : (result.at(-1)?.rows ?? []);
}

/** The part of a connection of `pg` that a submitted statement may use (as `pg-copy-streams` does). */
interface CopyingConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Bytes in one message: the server has to take each as a whole. */
const chunkBytes = 1024 * 1024;

function copyFrom(client: pg.PoolClient, text: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const statement = {
      submit: (connection: unknown): void => (connection as CopyingConnection).query(text), // what pg gives it
      handleCopyInResponse(connection: CopyingConnection): void {
        for (let at = 0; at < bytes.length; at += chunkBytes)
          connection.sendCopyFromChunk(bytes.subarray(at, at + chunkBytes));
        connection.endCopyFrom();
      },
      handleCommandComplete: (): void => undefined,
      handleReadyForQuery: (): void => resolve(),
      handleError: (error: unknown): void => reject(error),
      callback: (error: unknown): void => reject(error), // only where no answer comes in time
    };
    client.query(statement);
  });
}

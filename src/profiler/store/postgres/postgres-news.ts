import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Written } from '../../find/block/block-search.js';
import type { StoreNewsOrder } from '../../model/profile-store.js';
import type { RemoteOptions } from '../remote/remote-store.js';
import type { Statements } from './postgres-connection.js';
import type { SqlReader } from '../sql/sql-reader.js';
import { channelOf, idAt } from './postgres-schema.js';

/** Maximum delay in milliseconds with which a segment may appear: it gets its id before it is committed. */
const maxLagMs = 5000;
/** Maximum number of segments to remember, and to return rows of at once. */
const maxSegments = { log: 4000, read: 200 };

/**
 * A log of what any process wrote, in the order in which this process saw it: ids of segments do not show when they
 * were committed. A position consists of the log's name, an offset in it, and the newest id, from which another process
 * can continue.
 */
export class PostgresNews {
  readonly #connection: Statements;
  readonly #schema: string;
  readonly #name = randomBytes(4).toString('hex');
  #log: { readonly id: number; readonly bucket: string }[] = [];
  #passed = 0;
  #seen = new Set<number>();
  #newest: number | undefined;
  #syncing: Promise<void> | undefined;

  constructor(connection: Statements, schema: string) {
    this.#connection = connection;
    this.#schema = schema;
  }

  async written({ query, position }: StoreNewsOrder, reader: SqlReader): Promise<Written> {
    const [name, place, id = ''] = position?.split('.') ?? [];
    if (this.#newest === undefined && /^\d{1,16}$/.test(id)) this.#newest = Number(id);
    await (this.#syncing ??= this.#sync().finally(() => (this.#syncing = undefined)));
    const end = this.#passed + this.#log.length;
    const from =
      position === null ? end : name === this.#name ? Number(place) : this.#offsetAfter(Number(id));
    if (from === undefined || !(from >= this.#passed && from <= end))
      return { segments: [], present: this.#positionAt(end), isGap: true };
    const own = this.#log
      .slice(from - this.#passed)
      .map((entry, at) => ({ ...entry, position: this.#positionAt(from + at + 1) }))
      .filter(({ bucket }) => bucket === (query.bucket ?? 'app'));
    const next = own.slice(0, maxSegments.read);
    const found = await reader.segmentsOf(
      query.bucket ?? 'app',
      next.map((entry) => entry.id),
    );
    const segments = next.flatMap((entry) => {
      const rows = found.get(entry.id);
      return rows === undefined ? [] : { ...rows, position: entry.position };
    });
    // Segments that no longer exist are skipped.
    const present = own.length > next.length ? next.at(-1)?.position : undefined;
    return { segments, present: present ?? this.#positionAt(end), isGap: false };
  }

  #positionAt(place: number): string {
    const id = this.#log[place - this.#passed - 1]?.id ?? this.#newest ?? 0;
    return `${this.#name}.${place}.${id}`;
  }

  /**
   * Returns the offset after the segment with this id, for a position that another process issued. Returns undefined if
   * that is too long ago.
   */
  #offsetAfter(id: number): number | undefined {
    const at = this.#log.findIndex((entry) => entry.id === id);
    if (at !== -1) return this.#passed + at + 1;
    return this.#passed === 0 && id >= (this.#newest ?? 0) ? this.#log.length : undefined;
  }

  async #sync(): Promise<void> {
    const s = this.#schema;
    if (this.#newest === undefined) {
      const [row] = await this.#connection.rows(`SELECT id FROM ${s}.segment ORDER BY id DESC LIMIT 1`);
      this.#newest = Number(row?.['id'] ?? 0);
      const old = await this.#connection.rows(`SELECT id FROM ${s}.segment WHERE id > $1`, [this.#overlap()]);
      this.#seen = new Set(old.map((one) => Number(one['id'])));
      return;
    }
    const rows = await this.#connection.rows(
      `SELECT id, bucket FROM ${s}.segment WHERE id > $1 ORDER BY id LIMIT ${maxSegments.log}`,
      [this.#overlap()],
    );
    for (const row of rows) {
      const id = Number(row['id']);
      if (this.#seen.has(id)) continue;
      this.#seen.add(id);
      this.#log.push({ id, bucket: String(row['bucket']) });
      this.#newest = Math.max(this.#newest, id);
    }
    const excess = Math.max(0, this.#log.length - maxSegments.log);
    this.#log.splice(0, excess);
    this.#passed += excess;
    const overlap = this.#overlap();
    for (const id of this.#seen) if (id <= overlap) this.#seen.delete(id);
  }

  #overlap(): number {
    return Math.max(0, (this.#newest ?? 0) - idAt(maxLagMs));
  }
}

/**
 * Milliseconds between attempts to listen, and between checks without a notification: a connection pooler does not
 * forward notifications.
 */
const retryMs = { listen: 1000, poll: 5000 };

/** Listens for notifications on its own connection, and reconnects after it breaks. */
export class PostgresFollower {
  readonly #driver: typeof pg;
  readonly #address: string;
  readonly #channel: string;
  readonly #wake: () => void;
  readonly #pollTimer: NodeJS.Timeout;
  #client: pg.Client | undefined;
  #isOver = false;

  constructor(
    driver: typeof pg,
    { address }: Pick<RemoteOptions, 'address'>,
    { schema, wake }: { schema: string; wake: () => void },
  ) {
    this.#driver = driver;
    this.#address = address;
    this.#channel = channelOf(schema);
    this.#wake = wake;
    this.#pollTimer = setInterval(wake, retryMs.poll);
    void this.#listen();
  }

  stop(): void {
    this.#isOver = true;
    clearInterval(this.#pollTimer);
    void this.#client?.end().catch(() => undefined);
  }

  async #listen(): Promise<void> {
    const client = new this.#driver.Client({
      connectionString: this.#address,
      connectionTimeoutMillis: 2000,
      keepAlive: true,
    });
    this.#client = client;
    let isRetrying = false;
    const retry = (): void => {
      if (isRetrying || this.#isOver) return;
      isRetrying = true;
      setTimeout(() => void this.#listen(), retryMs.listen).unref();
    };
    client.on('error', retry);
    client.on('end', retry);
    client.on('notification', this.#wake);
    try {
      await client.connect();
      await client.query(`LISTEN ${this.#channel}`);
      this.#wake(); // for writes before LISTEN took effect
    } catch {
      await client.end().catch(() => undefined);
      retry();
    }
  }
}

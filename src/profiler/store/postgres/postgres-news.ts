import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { StoredSummary, StoreNews, StoreNewsOrder } from '../../model/profile-store.js';
import type { RemoteOptions } from '../remote/remote-store.js';
import type { PostgresConnection } from './postgres-connection.js';
import type { PostgresSearch } from './postgres-search.js';
import { channelOf } from './postgres-schema.js';

/** A segment has its id before it is committed: so many milliseconds back one may still come. */
const maxPositionLag = 5000n;
/** Segments that are remembered, and rows of news after which no further segment is begun. */
const maxRows = { log: 4000, rows: 1000 };

/**
 * What any process wrote, in the order in which it was seen here: ids of segments do not show when they were committed. A position
 * is this log's name, a place in it, and the newest id, by which another process goes on.
 */
export class PostgresNews {
  readonly #connection: PostgresConnection;
  readonly #schema: string;
  readonly #name = randomBytes(4).toString('hex');
  #log: { readonly id: string; readonly bucket: string }[] = [];
  #passed = 0;
  #seen = new Set<string>();
  #newest: bigint | undefined;
  #syncing: Promise<void> | undefined;

  constructor(connection: PostgresConnection, schema: string) {
    this.#connection = connection;
    this.#schema = schema;
  }

  async news({ query, position }: StoreNewsOrder, search: PostgresSearch): Promise<StoreNews> {
    const [name, place, id = ''] = position?.split('.') ?? [];
    if (this.#newest === undefined && /^\d{1,19}$/.test(id)) this.#newest = BigInt(id);
    await (this.#syncing ??= this.#sync().finally(() => (this.#syncing = undefined)));
    const end = this.#passed + this.#log.length;
    if (position === null) return { rows: [], position: this.#positionAt(end), isGap: false };
    const from = name === this.#name ? Number(place) : this.#placeBehind(id);
    if (from === undefined || !(from >= this.#passed && from <= end))
      return { rows: [], position: this.#positionAt(end), isGap: true };
    const entries = this.#log.slice(from - this.#passed);
    const ids = entries.filter(({ bucket }) => bucket === (query.bucket ?? 'app')).map((entry) => entry.id);
    const found = ids.length === 0 ? new Map() : await search.rowsOf(ids.slice(0, 200), query);
    const rows: StoredSummary[] = [];
    let at = from;
    for (const entry of entries) {
      if (rows.length >= maxRows.rows || (entry.id === ids[200] && ids.length > 200)) break;
      rows.push(...(found.get(entry.id) ?? []));
      at++;
    }
    return { rows, position: this.#positionAt(at), isGap: false };
  }

  #positionAt(place: number): string {
    const id = this.#log[place - this.#passed - 1]?.id ?? String(this.#newest ?? 0);
    return `${this.#name}.${place}.${id}`;
  }

  /** Where to go on that another process gave the id of; undefined where that is too long ago. */
  #placeBehind(id: string): number | undefined {
    const at = this.#log.findIndex((entry) => entry.id === id);
    if (at !== -1) return this.#passed + at + 1;
    return this.#passed === 0 && /^\d{1,19}$/.test(id) && BigInt(id) >= (this.#newest ?? 0n)
      ? this.#log.length
      : undefined;
  }

  async #sync(): Promise<void> {
    const s = this.#schema;
    if (this.#newest === undefined) {
      const [row] = await this.#connection.rows(`SELECT id FROM ${s}.segment ORDER BY id DESC LIMIT 1`);
      this.#newest = BigInt(String(row === undefined ? 0 : row['id']));
      const old = await this.#connection.rows(`SELECT id FROM ${s}.segment WHERE id > $1`, [this.#overlap()]);
      this.#seen = new Set(old.map((row) => String(row['id'])));
      return;
    }
    const rows = await this.#connection.rows(
      `SELECT id, bucket FROM ${s}.segment WHERE id > $1 ORDER BY id LIMIT ${maxRows.log}`,
      [this.#overlap()],
    );
    for (const row of rows) {
      const id = String(row['id']);
      if (this.#seen.has(id)) continue;
      this.#seen.add(id);
      this.#log.push({ id, bucket: String(row['bucket']) });
      if (BigInt(id) > this.#newest) this.#newest = BigInt(id);
    }
    const excess = Math.max(0, this.#log.length - maxRows.log);
    this.#log.splice(0, excess);
    this.#passed += excess;
    const overlap = BigInt(this.#overlap());
    for (const id of this.#seen) if (BigInt(id) <= overlap) this.#seen.delete(id);
  }

  #overlap(): string {
    const start = (this.#newest ?? 0n) - (maxPositionLag << 20n);
    return String(start < 0n ? 0n : start);
  }
}

/** Milliseconds between two attempts to listen, and after which it looks without a notification: a pooler passes none on. */
const retryMs = { listen: 1000, look: 5000 };

/** Listens on a connection of its own, and again after it broke. */
export class PostgresFollower {
  readonly #driver: typeof pg;
  readonly #address: string;
  readonly #channel: string;
  readonly #wake: () => void;
  readonly #look: NodeJS.Timeout;
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
    this.#look = setInterval(wake, retryMs.look);
    void this.#listen();
  }

  stop(): void {
    this.#isOver = true;
    clearInterval(this.#look);
    void this.#client?.end().catch(() => undefined);
  }

  async #listen(): Promise<void> {
    const client = new this.#driver.Client({
      connectionString: this.#address,
      connectionTimeoutMillis: 2000,
      keepAlive: true,
    });
    this.#client = client;
    let isAgain = false;
    const retry = (): void => {
      if (isAgain || this.#isOver) return;
      isAgain = true;
      setTimeout(() => void this.#listen(), retryMs.listen).unref();
    };
    client.on('error', retry);
    client.on('end', retry);
    client.on('notification', this.#wake);
    try {
      await client.connect();
      await client.query(`LISTEN ${this.#channel}`);
      this.#wake(); // what came in between
    } catch {
      await client.end().catch(() => undefined);
      retry();
    }
  }
}

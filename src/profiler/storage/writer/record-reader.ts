import { setTimeout as pause } from 'node:timers/promises';
import { isCodedError } from '#core/coded-error';
import type {
  ProfileList,
  ProfileNews,
  ProfileQuery,
  ProfileTotals,
  TotalsQuery,
} from '../../model/profile-query.js';
import type { StoredRoutes } from '../../model/declared-routes.js';
import type { FindOptions, RecordLookup } from '../../model/record-lookup.js';
import { idOf, isToken } from '../../encoding/token.js';
import type { Recorder } from '../../recording/recorder.js';
import type { OpenRecord, Writer } from './writer.js';

/** How long a lookup waits for an in-flight request to end, in milliseconds. */
const openTimeoutMs = 100;
/** Selects the in-flight requests to list: those older than `ms` milliseconds, at most `limit`. */
const slowSearch = { ms: 1000, limit: 20 };
const maxRows = 1000;
const defaultRows = 50;

export interface ReaderPorts {
  readonly ask: Pick<Writer, 'find' | 'list' | 'totals' | 'routes'>;
  /** In-flight requests, and records not yet handed to the writer. */
  readonly open?: {
    readonly recorder: Recorder;
    readonly source: number;
    /** Hands closed records to the writer, so that they arrive before a query. */
    readonly flush: () => void;
    /** Returns whether an id was issued; undefined if only the store knows. */
    readonly wasGiven: (id: number) => boolean | undefined;
  };
  /** Called if the store cannot be read. */
  readonly failed: (error: unknown) => void;
}

/** Finds records in every state: in flight, waiting, or stored. */
export class RecordReader {
  readonly #ports: ReaderPorts;

  constructor(ports: ReaderPorts) {
    this.#ports = ports;
  }

  async find(token: string, { waits = true }: FindOptions = {}): Promise<RecordLookup> {
    if (token === 'latest') {
      const [newest] = (await this.list({ limit: 1 })).rows;
      return newest === undefined ? { kind: 'never' } : this.find(newest.token);
    }
    if (!isToken(token)) return { kind: 'malformed' };
    const id = idOf(token);
    const { ask, open } = this.#ports;
    if (id === undefined || open?.wasGiven(id) === false) return { kind: 'never' };
    try {
      const found = await ask.find(id, await this.#openRecord(id, waits ? openTimeoutMs : 0));
      return found.kind === 'never' && open?.wasGiven(id) === true ? { kind: 'missing' } : found;
    } catch (error) {
      if (isCodedError(error) && error.code.startsWith('PROFILER_RECORD_'))
        return { kind: 'unreadable', code: error.code, message: error.message };
      this.#ports.failed(error);
      return { kind: 'missing' };
    }
  }

  async list({ token, limit: requested, before, ...query }: ProfileQuery = {}): Promise<ProfileList> {
    const id = token === undefined || token === '' ? undefined : (idOf(token) ?? -1);
    if (id === -1) return { rows: [], next: null, complete: true };
    const { ask, open, failed } = this.#ports;
    const slow = open?.recorder.inFlight(query.origin ?? 'app', slowSearch) ?? [];
    const seen = slow.flatMap((one) => this.#seen(one) ?? []);
    const search = {
      query,
      limit: rowsOf(requested),
      ...(before === undefined ? {} : { before }),
      ...(id === undefined ? {} : { id }),
    };
    open?.flush();
    try {
      const { rows, next, complete } = await ask.list(search, seen);
      return { rows, next, complete };
    } catch (error) {
      failed(error);
      return { rows: [], next: null, complete: false };
    }
  }

  async #openRecord(id: number, maxMs: number): Promise<OpenRecord | undefined> {
    const { open } = this.#ports;
    const end = performance.now() + maxMs;
    // A client that looks up its record usually has the response already, so the request is about to end.
    while (open?.recorder.isOpen(id) === true && performance.now() < end) await pause(5);
    const seen = this.#seen(id);
    open?.flush();
    return seen;
  }

  /** Returns an in-flight request's snapshot; undefined if there is none. */
  #seen(id: number): OpenRecord | undefined {
    const { open } = this.#ports;
    const batch = open?.recorder.snapshotOf(id);
    return open && batch && { batch, source: open.source };
  }

  async totals(query: TotalsQuery = {}): Promise<ProfileTotals> {
    this.#ports.open?.flush();
    try {
      return await this.#ports.ask.totals(query);
    } catch (error) {
      this.#ports.failed(error);
      return { groups: [], complete: false };
    }
  }

  async routes(): Promise<StoredRoutes | undefined> {
    try {
      return await this.#ports.ask.routes();
    } catch (error) {
      this.#ports.failed(error);
      return undefined;
    }
  }

  /** Returns the records stored after a position; undefined if the store has failed. */
  async news(
    query: Pick<ProfileQuery, 'origin' | 'where'>,
    position: string | null,
  ): Promise<ProfileNews | undefined> {
    this.#ports.open?.flush();
    try {
      const search = position === null ? { query, limit: 1 } : { query, after: position, limit: maxRows };
      const page = await this.#ports.ask.list(search);
      if (!page.complete) return undefined;
      return {
        rows: position === null ? [] : page.rows,
        position: page.position,
        isGap: page.isGap === true,
      };
    } catch (error) {
      this.#ports.failed(error);
      return undefined;
    }
  }
}

function rowsOf(requested: number | undefined): number {
  const whole = Math.trunc(requested ?? defaultRows);
  return whole >= 1 ? Math.min(maxRows, whole) : defaultRows;
}

import type { HttpRequest } from '#http';
import type { ProfileNews } from '../../model/profile-query.js';
import type { ProfileReader } from '../site/profiler-site.js';

/** Maximum number of pages that follow at the same time. */
const maxSubscribers = 20;
/** Milliseconds without an event after which a comment is sent, so that proxies keep the connection open. */
const heartbeatMs = 15_000;
/** Milliseconds between two looks for news. */
const lookMs = 1000;

/** The query that a page follows, and its start position. */
export interface Subscription {
  readonly query: Parameters<ProfileReader['news']>[0];
  readonly position: string;
  /** Renders rows as the data of an event. */
  readonly render: (rows: ProfileNews['rows']) => string;
}

/** The pages that follow the list. Their number is bounded, since each keeps a response open. */
export class LiveSubscribers {
  readonly #reader: ProfileReader;
  #count = 0;

  constructor(reader: ProfileReader) {
    this.#reader = reader;
  }

  get isFull(): boolean {
    return this.#count >= maxSubscribers;
  }

  /**
   * Yields server-sent events, one per batch of rows; the event id is the position after the batch, so that a reconnecting
   * client neither loses nor repeats rows. Ends when the client disconnects, the server stops or there are too many followers.
   */
  async *follow(
    request: HttpRequest,
    { query, position: start, render }: Subscription,
  ): AsyncGenerator<string> {
    if (this.isFull) return;
    const signal = new NewsSignal(request);
    this.#count += 1;
    try {
      yield ': the requests that are stored from now on\n\n';
      for (let position = start; !signal.isOver;) {
        const news = await this.#reader.news(query, position);
        if (news === undefined) return;
        if (news.isGap || news.rows.length > 0 || news.position !== position) yield eventOf(news, render);
        else if (!(await signal.wait())) yield ':\n\n';
        position = news.position;
      }
    } finally {
      this.#count -= 1;
      signal.close();
    }
  }
}

/** Renders an event. Browsers only remember the id of an event without data. */
function eventOf({ rows, position, isGap }: ProfileNews, render: Subscription['render']): string {
  if (isGap) return `event: gap\nid: ${position}\ndata:\n\n`;
  return `id: ${position}\n${rows.length > 0 ? `data: ${render(rows)}\n` : ''}\n`;
}

/** Wakes a follower to look for news, at its end, and for a heartbeat. */
class NewsSignal {
  readonly #signals: readonly AbortSignal[];
  #waitedMs = 0;
  #wake: (() => void) | undefined;

  constructor({ signal, stopping }: HttpRequest) {
    this.#signals = [signal, stopping].filter((one) => one !== undefined);
    for (const one of this.#signals) one.addEventListener('abort', this.#notify);
  }

  get isOver(): boolean {
    return this.#signals.some(({ aborted }) => aborted);
  }

  /** Waits until it is time to look again. Resolves to false if a heartbeat is due. */
  async wait(): Promise<boolean> {
    if (!this.isOver)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, lookMs).unref();
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#wake = undefined;
    this.#waitedMs += lookMs;
    if (this.#waitedMs < heartbeatMs) return true;
    this.#waitedMs = 0;
    return this.isOver;
  }

  close(): void {
    for (const one of this.#signals) one.removeEventListener('abort', this.#notify);
  }

  readonly #notify = (): void => {
    this.#wake?.();
  };
}

import { setTimeout } from 'node:timers/promises';
import type { HttpRequest } from '#http';
import type { ProfileNews } from '../../model/profile-query.js';
import type { ProfileReader } from '../site/profiler-site.js';

/** Maximum number of pages that follow at the same time. */
const maxSubscribers = 20;
/** Milliseconds between two looks for news. */
const lookMs = 1000;
/** Looks without an event after which a comment is sent, so that proxies keep the connection open. */
const looksPerHeartbeat = 15;

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
    const signal = AbortSignal.any([request.signal, request.stopping].filter((one) => one !== undefined));
    this.#count += 1;
    try {
      yield ': the requests that are stored from now on\n\n';
      let looks = 0;
      for (let position = start; !signal.aborted;) {
        const news = await this.#reader.news(query, position);
        if (news === undefined) return;
        if (news.isGap || news.rows.length > 0 || news.position !== position) yield eventOf(news, render);
        else await setTimeout(lookMs, undefined, { signal, ref: false }).catch(() => undefined); // aborted: it is over
        position = news.position;
        looks += 1;
        if (looks % looksPerHeartbeat === 0 && !signal.aborted) yield ':\n\n';
      }
    } finally {
      this.#count -= 1;
    }
  }
}

/** Renders an event. Browsers only remember the id of an event without data. */
function eventOf({ rows, position, isGap }: ProfileNews, render: Subscription['render']): string {
  if (isGap) return `event: gap\nid: ${position}\ndata:\n\n`;
  return `id: ${position}\n${rows.length > 0 ? `data: ${render(rows)}\n` : ''}\n`;
}

import type { HttpRequest } from '#http';
import type { ProfileNews } from '../../model/profile-query.js';
import type { ProfileReader } from '../site/profiler-site.js';

/** Pages that may follow at once. */
const maxSubscribers = 20;
/** Milliseconds without an event after which a comment is sent, so that proxies keep the connection. */
const heartbeatMs = 15_000;

/** What a page follows, and from where. */
export interface Subscription {
  readonly query: Parameters<ProfileReader['news']>[0];
  readonly position: string;
  /** The data of an event for the rows of some news. */
  readonly render: (rows: ProfileNews['rows']) => string;
}

/** The pages that follow the list. Each is an open answer, so they are bounded. */
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
   * Server-sent events: one for all rows of some news, so that its id, the position behind them, loses none and doubles
   * none. Ends when the client leaves, the server stops or there are too many followers.
   */
  async *follow(
    request: HttpRequest,
    { query, position: start, render }: Subscription,
  ): AsyncGenerator<string> {
    if (this.isFull) return;
    const bell = new Bell(this.#reader, request);
    this.#count += 1;
    try {
      yield ': the requests that are stored from now on\n\n';
      for (let position = start; !bell.isOver;) {
        const news = await this.#reader.news(query, position);
        if (news === undefined) return;
        if (news.isGap || news.rows.length > 0 || news.position !== position) yield eventOf(news, render);
        else if (!(await bell.rings())) yield ':\n\n';
        position = news.position;
      }
    } finally {
      this.#count -= 1;
      bell.close();
    }
  }
}

/** Without data a browser keeps the position alone. */
function eventOf({ rows, position, isGap }: ProfileNews, render: Subscription['render']): string {
  if (isGap) return `event: gap\nid: ${position}\ndata:\n\n`;
  return `id: ${position}\n${rows.length > 0 ? `data: ${render(rows)}\n` : ''}\n`;
}

/** Wakes a follower: for news, at the end, and for a heartbeat. A ring between two waits is kept. */
class Bell {
  readonly #signals: readonly AbortSignal[];
  readonly #stop: () => void;
  #hasRung = false;
  #wake: (() => void) | undefined;

  constructor(reader: ProfileReader, { signal, stopping }: HttpRequest) {
    this.#signals = [signal, stopping].filter((one) => one !== undefined);
    this.#stop = reader.onNews(this.#ring);
    for (const one of this.#signals) one.addEventListener('abort', this.#ring);
  }

  get isOver(): boolean {
    return this.#signals.some(({ aborted }) => aborted);
  }

  /** False where nothing rang until the next heartbeat. */
  async rings(): Promise<boolean> {
    if (!this.#hasRung && !this.isOver)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, heartbeatMs).unref();
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#wake = undefined;
    const hasRung = this.#hasRung;
    this.#hasRung = false;
    return hasRung || this.isOver;
  }

  close(): void {
    this.#stop();
    for (const one of this.#signals) one.removeEventListener('abort', this.#ring);
  }

  readonly #ring = (): void => {
    this.#hasRung = true;
    this.#wake?.();
  };
}

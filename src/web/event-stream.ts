import { type HttpRequest, HttpResponse } from '#http';
import { timerMilliseconds, webErrors } from './web-extension.js';

/** The context of a source of events. */
export interface EventSourceContext {
  /** The id of the last event that this client received before it reconnected; undefined for a new client. */
  readonly lastEventId: string | undefined;
  /** Aborted when the client disconnects and when the server stops. */
  readonly signal: AbortSignal;
}

export interface EventStreamOptions {
  /** Seconds without an event after which a comment is sent, so that proxies keep the connection. Default 15; `Infinity`: never. */
  readonly heartbeatSeconds?: number;
  /** Milliseconds to wait before a client reconnects. Default: the browser's own, a few seconds. */
  readonly retryMilliseconds?: number;
}

/** Produces the events; a text is an event with that data. */
type EventSource = (context: EventSourceContext) => AsyncIterable<ServerEvent | string>;

/**
 * Creates a response of server-sent events (`text/event-stream`), over HTTP/1.1, TLS, HTTP/2 and `app.fetch`. The source
 * runs only as fast as the client reads. It ends when the client disconnects or the server stops: its `signal` is aborted
 * and the generator's `return()` is called, even while it waits; later errors are ignored. An error before that is
 * logged, and the stream is cut off. A client that reconnects sends the id of its last event. Throws `WEB_BAD_OPTION`.
 */
export function eventStream(
  request: HttpRequest,
  source: EventSource,
  { heartbeatSeconds = 15, retryMilliseconds }: EventStreamOptions = {},
): HttpResponse {
  const what = 'eventStream';
  const heartbeat = timerMilliseconds(heartbeatSeconds, { option: 'heartbeatSeconds', what, scale: 1000 });
  let head = ':\n\n';
  if (retryMilliseconds !== undefined) {
    const retry = timerMilliseconds(retryMilliseconds, { option: 'retryMilliseconds', what, scale: 1 });
    head = `retry: ${Math.ceil(retry)}\n\n`;
  }
  const body = { [Symbol.asyncIterator]: () => new EventLines(request, source, { head, heartbeat }) };
  return new HttpResponse(body, {
    headers: {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    },
  });
}

interface LineOptions {
  readonly head: string;
  /** Milliseconds without an event before a comment is sent. */
  readonly heartbeat: number;
}

type Next = IteratorResult<ServerEvent | string, unknown>;

/** Iterates over the lines of a stream. Not a generator, because a generator cannot be ended while it waits for its source. */
class EventLines implements AsyncIterator<string, undefined> {
  readonly #request: HttpRequest;
  readonly #source: EventSource;
  readonly #options: LineOptions;
  readonly #over = new AbortController();
  readonly #ended: Promise<'ended'>;
  #events: AsyncIterator<ServerEvent | string, unknown> | undefined;
  #pending: Promise<Next> | undefined;

  constructor(request: HttpRequest, source: EventSource, options: LineOptions) {
    this.#request = request;
    this.#source = source;
    this.#options = options;
    this.#ended = new Promise((resolve) => {
      this.#over.signal.addEventListener('abort', () => resolve('ended'), { once: true });
    });
    for (const signal of [request.signal, request.stopping]) {
      if (signal?.aborted === true) this.#end();
      else signal?.addEventListener('abort', this.#end);
    }
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    const { signal } = this.#over;
    if (signal.aborted) return { done: true, value: undefined };
    if (this.#events === undefined) {
      this.#events = this.#source({ lastEventId: lastEventIdOf(this.#request), signal })[
        Symbol.asyncIterator
      ]();
      return { done: false, value: this.#options.head };
    }
    this.#pending ??= this.#events.next();
    const outcome = await this.#wait(this.#pending);
    if (outcome === 'quiet') return { done: false, value: ':\n\n' };
    if (outcome === 'ended') return { done: true, value: undefined };
    this.#pending = undefined;
    if (outcome.done !== true) {
      const event = outcome.value;
      return { done: false, value: renderEvent(typeof event === 'string' ? { data: event } : event) };
    }
    this.#end();
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    this.#end();
    return { done: true, value: undefined };
  }

  async #wait(pending: Promise<Next>): Promise<Next | 'quiet' | 'ended'> {
    let timer: NodeJS.Timeout | undefined;
    const quiet = new Promise<'quiet'>((resolve) => {
      timer = setTimeout(resolve, this.#options.heartbeat, 'quiet');
    });
    try {
      return await Promise.race([this.#ended, pending, quiet]);
    } catch (error) {
      this.#end();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  readonly #end = (): void => {
    if (this.#over.signal.aborted) return;
    // `stopping` outlives the stream. (Not by the option `signal`: Node loses that removal when garbage is collected.)
    for (const signal of [this.#request.signal, this.#request.stopping])
      signal?.removeEventListener('abort', this.#end);
    this.#pending?.catch(() => undefined); // the result is no longer used
    this.#over.abort();
    // A generator that waits handles `return` when it continues.
    Promise.resolve(this.#events?.return?.()).catch(() => undefined);
  };
}

/** Reads the id from the header. Node decodes fields as Latin-1, but clients send ids as UTF-8. */
function lastEventIdOf({ headers }: HttpRequest): string | undefined {
  const text = headers.get('last-event-id');
  return text === undefined ? undefined : Buffer.from(text, 'latin1').toString('utf8');
}

/** An event of a stream (WHATWG HTML, section 9.2). */
export interface ServerEvent {
  /** Text is sent unchanged, anything else as JSON. */
  readonly data: unknown;
  /** The type that a client listens to. Default `message`. */
  readonly event?: string;
  /** Id that a reconnecting client sends as `Last-Event-ID`. */
  readonly id?: string;
}

/** Renders the lines of an event; its data may have several lines. Throws `WEB_EVENT_FIELD` for an id or type that could inject lines. */
export function renderEvent({ data, event, id }: ServerEvent): string {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? 'null');
  let lines = '';
  if (event !== undefined) lines += fieldLine('event', event);
  if (id !== undefined) lines += fieldLine('id', id);
  for (const line of text.split(/\r\n|\r|\n/)) lines += `data: ${line}\n`;
  return `${lines}\n`;
}

function fieldLine(field: 'event' | 'id', value: string): string {
  if (/[\r\n\0]/.test(value)) throw webErrors.create('WEB_EVENT_FIELD', { field });
  return `${field}: ${value}\n`;
}

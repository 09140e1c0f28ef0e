import { isPromise } from 'node:util/types';
import {
  anything,
  callable,
  checkOptions,
  checkValue,
  either,
  number,
  optionsSchema,
  type OptionsSchema,
  type OptionType,
  optionType,
  text,
} from '#core/options';
import { HttpRequest, HttpResponse, isAsyncIterable, serialiseJson } from '#core/http';
import { timerMilliseconds, webErrors } from './web-extension.js';

/** An event source's context. */
export interface EventSourceContext {
  /** The id of the last event that this client received before it reconnected; undefined for a new client. */
  readonly lastEventId: string | undefined;
  /** Aborted when the client disconnects and when the server stops. */
  readonly signal: AbortSignal;
}

export interface EventStreamOptions {
  /** Seconds without an event after which a comment is sent, so that proxies keep the connection. Default 15; `Infinity`: never. */
  readonly heartbeatSeconds?: number;
  /** Milliseconds a client waits before it reconnects. Default: the browser's own delay, a few seconds. */
  readonly retryMilliseconds?: number;
}

export const eventStreamSchema: OptionsSchema<EventStreamOptions> = optionsSchema<EventStreamOptions>({
  heartbeatSeconds: number({ above: 0, unit: 'seconds', orInfinity: true }),
  retryMilliseconds: number({ above: 0, unit: 'milliseconds' }),
});

/** Produces the events; a string is an event with that data. */
type EventSource = (context: EventSourceContext) => AsyncIterable<ServerEvent | string>;

/**
 * Creates a response with server-sent events (`text/event-stream`), over HTTP/1.1, TLS, HTTP/2 and `app.fetch`. The
 * source runs only as fast as the client reads. It ends when the client disconnects or the server stops: its `signal`
 * is aborted and the generator's `return()` is called, even while it waits; later errors are ignored. An earlier error
 * is logged, and the stream is cut off. A client that reconnects sends the id of its last event. Throws
 * `OPTIONS_BAD_VALUE`.
 */
export function eventStream(
  request: HttpRequest,
  source: EventSource,
  options: EventStreamOptions = {},
): HttpResponse {
  checkValue('eventStream()', 'request', request, httpRequest);
  checkValue('eventStream()', 'source', source, callable());
  checkOptions('eventStream()', options, eventStreamSchema);
  const { heartbeatSeconds = 15, retryMilliseconds } = options;
  const heartbeat = timerMilliseconds(heartbeatSeconds * 1000);
  let head = ':\n\n';
  if (retryMilliseconds !== undefined) {
    head = `retry: ${Math.ceil(timerMilliseconds(retryMilliseconds))}\n\n`;
  }
  const body = { [Symbol.asyncIterator]: () => openLines(request, source, { head, heartbeat }) };
  return new HttpResponse(body, {
    headers: {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    },
  });
}

type Next = IteratorResult<ServerEvent | string, unknown>;

/**
 * Iterates over head, events, and comments after `heartbeat`. Not a generator, because a generator cannot be ended
 * while it waits.
 */
function openLines(
  request: HttpRequest,
  source: EventSource,
  { head, heartbeat }: { readonly head: string; readonly heartbeat: number },
): AsyncIterator<string, undefined> {
  const over = new AbortController();
  const { signal } = over;
  const signals = [request.signal, request.stopping];
  let events: AsyncIterator<ServerEvent | string, unknown> | undefined;
  let pending: Promise<Next> | undefined;
  let wake: ((why: 'ended') => void) | undefined; // ends the wait for the next event
  const done = { done: true, value: undefined } as const;

  function end(): typeof done {
    if (signal.aborted) return done;
    // `stopping` outlives the stream. (The `signal` option is not used: Node loses that removal when garbage is
    // collected.)
    for (const one of signals) one?.removeEventListener('abort', end);
    pending?.catch(() => undefined); // the result is no longer used
    over.abort();
    wake?.('ended');
    // A waiting generator handles `return` when it continues.
    Promise.resolve(events?.return?.()).catch(() => undefined);
    return done;
  }

  async function next(): Promise<IteratorResult<string, undefined>> {
    if (signal.aborted) return done;
    if (events === undefined) {
      events = iterate(source({ lastEventId: lastEventIdOf(request), signal }));
      return { done: false, value: head };
    }
    let timer: NodeJS.Timeout | undefined;
    // A separate promise for each event: one for the whole stream would keep all outcomes that it was raced with.
    const quiet = new Promise<'quiet' | 'ended'>((resolve) => {
      timer = setTimeout(resolve, heartbeat, 'quiet');
      wake = resolve;
    });
    try {
      pending ??= events.next();
      const outcome = await Promise.race([pending, quiet]);
      if (outcome === 'quiet') return { done: false, value: ':\n\n' };
      if (outcome === 'ended' || outcome.done === true) return end();
      pending = undefined;
      const event = outcome.value;
      return { done: false, value: renderEvent(typeof event === 'string' ? { data: event } : event) };
    } catch (error) {
      end();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  for (const one of signals) {
    if (one?.aborted === true) end();
    else one?.addEventListener('abort', end);
  }
  return { next, return: async () => end() };
}

const httpRequest: OptionType<HttpRequest> = optionType(
  'the request',
  (value) => value instanceof HttpRequest,
);
const asyncIterable: OptionType<AsyncIterable<unknown>> = optionType(
  'an async iterable, as `async function* () { yield … }` returns',
  isAsyncIterable,
);

/** Refuses what a source may return instead of an async iterable, such as the promise of an async function. */
function iterate<Item>(made: AsyncIterable<Item>): AsyncIterator<Item> {
  const given: unknown = made;
  if (isPromise(given)) void given.catch(() => undefined); // the refusal is the error
  checkValue('eventStream()', 'source()', made, asyncIterable);
  return made[Symbol.asyncIterator]();
}

/** Reads the id from the header. Node decodes fields as Latin-1, but clients send ids as UTF-8. */
function lastEventIdOf({ headers }: HttpRequest): string | undefined {
  const text = headers.get('last-event-id');
  return text === undefined ? undefined : Buffer.from(text, 'latin1').toString('utf8');
}

/** A stream event (WHATWG HTML, section 9.2). */
export interface ServerEvent {
  /** Text is sent unchanged, anything else as JSON. */
  readonly data: unknown;
  /** The type that a client listens to. Default `message`. */
  readonly event?: string;
  /** Id that a reconnecting client sends as `Last-Event-ID`. */
  readonly id?: string | number;
}

export const serverEventSchema: OptionsSchema<ServerEvent> = optionsSchema<ServerEvent>({
  data: anything(),
  event: text,
  id: either(text, number()),
});

/**
 * Renders an event's lines; its data may have several lines. Throws `OPTIONS_UNKNOWN` for a misspelt field, and
 * `WEB_EVENT_FIELD` for an id or type that could inject lines.
 */
export function renderEvent(given: ServerEvent): string {
  checkOptions('an event of eventStream()', given, serverEventSchema);
  const { data, event, id } = given;
  const text = typeof data === 'string' ? data : serialiseJson(data);
  let lines = '';
  if (event !== undefined) lines += fieldLine('event', event);
  if (id !== undefined) lines += fieldLine('id', String(id));
  for (const line of text.split(/\r\n|\r|\n/)) lines += `data: ${line}\n`;
  return `${lines}\n`;
}

function fieldLine(field: 'event' | 'id', value: string): string {
  if (/[\r\n\0]/.test(value)) throw webErrors.create('WEB_EVENT_FIELD', { field });
  return `${field}: ${value}\n`;
}

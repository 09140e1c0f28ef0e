import { AsyncResource } from 'node:async_hooks';
import {
  type HttpRequest,
  type HttpResponse,
  type RequestLimits,
  type SentResponse,
  type TrustPolicy,
  ClientGoneResponse,
  fromWebRequest,
  isBodiless,
  isStreamedBody,
  sizeOfBody,
  stopBody,
} from '#core/http';
import { isCodedError } from '#core/coded-error';
import { describeThrown } from '#core/errors';
import {
  anything,
  checkOptions,
  checkValue,
  type OptionsSchema,
  optionsSchema,
  type OptionType,
  optionType,
} from '#core/options';
import type { Kernel } from '#framework/kernel';
import { type Profiler, requestRecording } from '#profiler';
import { callingScope, currentScope } from '#core/scope';
import type { FetchInit } from '../app.js';
import { frameworkErrors } from '../configuration/error-codes.js';
import { readyMs } from '../recording/record-command.js';

/** Record tokens by response: the headers contain none for clients that may not see debug output. */
const recordTokens = new WeakMap<Response, string>();

/**
 * Returns the record token of a response that this process's `app.fetch` returned; undefined if the request was not
 * recorded.
 */
export function recordTokenOf(response: Response): string | undefined {
  return recordTokens.get(response);
}

/** Of any class, as other runtimes and packages have their own. */
const webRequest: OptionType<Request> = optionType(
  'a Request, or a path',
  (value) => typeof value === 'object' && value !== null && typeof Reflect.get(value, 'url') === 'string',
);

/** Options of `Request` that its TypeScript type may lack. */
const untypedNames: ReadonlySet<string> = new Set(['dispatcher', 'duplex']);

/** Refuses names that `Request` ignores, such as `header`. The values are left to `Request`. */
export const fetchSchema: OptionsSchema<FetchInit> = optionsSchema<FetchInit>(
  {
    body: anything(),
    cache: anything(),
    credentials: anything(),
    headers: anything(),
    integrity: anything(),
    keepalive: anything(),
    method: anything(),
    mode: anything(),
    priority: anything(),
    redirect: anything(),
    referrer: anything(),
    referrerPolicy: anything(),
    signal: anything(),
    window: anything(),
    peer: anything(), // checked with the request
    stopping: optionType('an AbortSignal', (value) => value instanceof AbortSignal),
  },
  { others: (name) => (untypedNames.has(name) ? anything() : undefined) },
);

/**
 * Creates `app.fetch`, which answers a web `Request` (or a path below http://localhost) with a web `Response`, with the
 * same kernel and recording as over a socket. A streamed response's record is closed when the stream has been
 * read, has failed, or was cancelled.
 */
export function createFetch(
  kernel: Kernel,
  {
    trust,
    limits,
    profiler,
  }: { readonly trust: TrustPolicy; readonly limits: RequestLimits; readonly profiler: Profiler | undefined },
): (input: Request | string, init?: FetchInit) => Promise<Response> {
  return async (input, init) => {
    checkOptions('app.fetch()', init, fetchSchema);
    const { peer, stopping } = init ?? {};
    const web = readWebRequest(input, init);
    const request = asValid(() => fromWebRequest(web, { trust, limits, peer, stopping }));
    const caller = currentScope();
    if (caller !== undefined) request.scope.set(callingScope, caller);
    const ready = profiler?.ready(readyMs); // for an application's first request if it does not listen
    if (ready !== undefined) await ready;
    // Isolates the request's asynchronous context from the caller's.
    const handled = new AsyncResource('lookback').runInAsyncScope(kernel.handle, kernel, request);
    const response = handled instanceof Promise ? await handled : handled;
    if (isBodiless(web.method, response.status)) dropBody(response, web.method);
    response.seal();
    const finish = (end: BodyEnd): void | Promise<void> =>
      kernel.terminate(request, response, {
        status: response.status,
        headers: Object.freeze([...response.headers.flat]),
        ...end,
      });
    if (!isStreamedBody(response.body)) {
      const answer = named(response.toWeb(), request); // copied before terminate listeners run, which could change the bytes of the body
      const completed = !(response instanceof ClientGoneResponse);
      const finished = finish({ bodyBytes: sizeOfBody(response.body), completed });
      if (finished !== undefined) await finished;
      return answer;
    }
    return named(watchStream(response.toWeb(), finish), request);
  };
}

/** Returns the web request that the arguments of `app.fetch` describe. Throws a coded error if they are not valid. */
function readWebRequest(input: Request | string, init: FetchInit | undefined): Request {
  if (typeof input !== 'string') checkValue('app.fetch()', 'request', input, webRequest);
  return asValid(() => {
    if (typeof input === 'string') return new Request(new URL(input, 'http://localhost'), init);
    return changesRequest(init) ? new Request(input, init) : input;
  });
}

function asValid<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (isCodedError(cause)) throw cause;
    throw frameworkErrors.create('FRAMEWORK_BAD_REQUEST', { reason: describeThrown(cause) }, { cause });
  }
}

/** Remembers the token of a response's record. */
function named(answer: Response, { scope }: HttpRequest): Response {
  const token = scope.getOwn(requestRecording)?.token;
  if (token !== undefined) recordTokens.set(answer, token);
  return answer;
}

/** Returns whether the options contain anything besides `peer` and `stopping`, so that a new `Request` is needed. */
function changesRequest(init: FetchInit | undefined): boolean {
  for (const name in init) if (name !== 'peer' && name !== 'stopping') return true;
  return false;
}

/** A sent body's size, and whether it was sent completely. */
type BodyEnd = Pick<SentResponse, 'bodyBytes' | 'completed'>;

/** Removes the body from a response to HEAD, keeping its length, and from a response with status 204, 205 or 304. */
function dropBody(response: HttpResponse, method: string): void {
  const { headers, body } = response;
  if (method === 'HEAD' && body !== null && !isStreamedBody(body) && !headers.has('content-length'))
    headers.set('Content-Length', String(sizeOfBody(body)));
  stopBody(response.body);
  response.body = null;
}

function watchStream(web: Response, finish: (end: BodyEnd) => void | Promise<void>): Response {
  if (web.body === null) return web;
  let bodyBytes = 0;
  let isOver = false;
  const end = async (how: 'completed' | 'cut'): Promise<void> => {
    if (isOver) return;
    isOver = true;
    await finish({ bodyBytes, completed: how === 'completed' });
  };
  const reader = web.body.getReader();
  const watched = new ReadableStream<Uint8Array>({
    async pull(controller): Promise<void> {
      try {
        const next = await reader.read();
        if (!next.done) {
          bodyBytes += next.value.byteLength;
          controller.enqueue(next.value);
          return;
        }
        await end('completed');
        controller.close();
      } catch (error) {
        await end('cut');
        throw error;
      }
    },
    async cancel(reason): Promise<void> {
      const ended = end('cut');
      await reader.cancel(reason);
      await ended;
    },
  });
  return new Response(watched, { status: web.status, headers: web.headers });
}

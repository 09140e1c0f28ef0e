import { replaceMethod, undoAll } from '#core/patches';
import { listenTo } from '../source/listen-to.js';
import { deepField, fieldOf, ownData, textField } from '../source/fields.js';
import { runFromHere } from '../source/moment.js';
import { beginCall, callSignal, type OutgoingCall } from './outgoing-call.js';

/** Listens to undici's channels, which the global `fetch` also uses. */
export function listenToUndici(): () => void {
  const under = new WeakMap<object, OutgoingCall>();
  const callOf = (message: unknown): OutgoingCall | undefined => {
    const request = fieldOf(message, 'request');
    return typeof request === 'object' && request !== null ? under.get(request) : undefined;
  };
  const undoFetch = replaceMethod(globalThis, 'fetch', (former, args, self) =>
    followFetch(args, () => Reflect.apply(former, self, args)),
  );
  const stopListening = listenTo({
    'undici:request:create'(message) {
      const request = fieldOf(message, 'request');
      if (typeof request !== 'object' || request === null) return;
      const call = beginCall(() => targetOf(request));
      if (call === undefined) return;
      under.set(request, call);
      call.requestHeaders = flatHeaders(fieldOf(request, 'headers'));
      watchBodies(request, call);
      watchAbort(request, call);
      const addHeader = fieldOf(request, 'addHeader');
      if (typeof addHeader !== 'function') return;
      const names = call.requestHeaders.filter((_text, at) => at % 2 === 0).map((name) => name.toLowerCase());
      call.addFields(
        (name) => names.includes(name),
        (...field) => void Reflect.apply(addHeader, request, field),
      );
      if (call.spanId !== '') yieldTrace(request);
    },
    'undici:client:sendHeaders'(message) {
      const head = fieldOf(message, 'headers');
      callOf(message)?.sent(typeof head === 'string' ? parseHead(head) : []);
    },
    'undici:request:headers'(message) {
      const status = deepField(message, 'response', 'statusCode');
      const headers = flatHeaders(deepField(message, 'response', 'headers'));
      callOf(message)?.answered(typeof status === 'number' ? status : 0, headers);
    },
    'undici:request:trailers': (message) => callOf(message)?.ended(),
    'undici:request:error': (message) => callOf(message)?.ended(fieldOf(message, 'error')),
  });
  return undoAll([undoFetch, stopListening]);
}

/** Runs a `fetch` so that its calls, including redirects, have its call site and its signal. */
function followFetch([input, init]: readonly unknown[], run: () => unknown): unknown {
  // The application's getters are not run.
  const own = ownData(init)?.['signal'] ?? (input instanceof Request ? input.signal : undefined);
  return runFromHere(run, (scope) => {
    if (own instanceof AbortSignal) scope.set(callSignal, own);
  });
}

/** Removes our `traceparent` if an agent that listens after us adds its own, because two would be invalid. */
function yieldTrace(request: object): void {
  const undo = replaceMethod(request, 'addHeader', (former, args) => {
    const headers = fieldOf(request, 'headers');
    if (String(args[0]).toLowerCase() === 'traceparent') {
      undo?.();
      if (Array.isArray(headers)) headers.splice(headers.indexOf('traceparent'), 2);
    }
    return Reflect.apply(former, request, args);
  });
}

/** Records that the application cancels a request. The cancel function is passed to the client with the connection. */
function watchAbort(request: object, call: OutgoingCall): void {
  replaceMethod(request, 'onConnect', (former, [abort, ...rest]) => {
    const noting = (...reasons: unknown[]): unknown => {
      call.cancelled(reasons[0]);
      return typeof abort === 'function' ? Reflect.apply(abort, undefined, reasons) : undefined;
    };
    return Reflect.apply(former, request, [typeof abort === 'function' ? noting : abort, ...rest]);
  });
}

/**
 * Records chunks through the methods by which undici 6 and 7 pass them to a request, because only undici 7 publishes
 * chunks.
 */
function watchBodies(request: object, call: OutgoingCall): void {
  const passed = { onBodySent: 'sentChunk', onData: 'receivedChunk' } as const;
  for (const [name, counter] of Object.entries(passed))
    replaceMethod(request, name, (former, args) => {
      call[counter](args[0]);
      return Reflect.apply(former, request, args);
    });
}

function targetOf(request: object): { readonly method: string; readonly url: string } {
  const origin = fieldOf(request, 'origin');
  const base = origin instanceof URL ? origin.origin : textField(request, 'origin');
  return { method: textField(request, 'method'), url: base + textField(request, 'path') };
}

/** Returns alternating names and values from a list of texts or bytes, or from one text in older versions. */
function flatHeaders(headers: unknown): readonly string[] {
  if (typeof headers === 'string') return parseHead(headers);
  if (!Array.isArray(headers)) return [];
  return headers.map((text: unknown) =>
    text instanceof Uint8Array ? Buffer.from(text).toString('latin1') : String(text),
  );
}

function parseHead(head: string): readonly string[] {
  return head.split('\r\n').flatMap((line) => {
    const colon = line.indexOf(':');
    // The first line is the request line, whose target may contain a colon.
    return colon <= 0 || line.slice(0, colon).includes(' ')
      ? []
      : [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
}

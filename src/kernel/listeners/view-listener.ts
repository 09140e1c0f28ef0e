import { isSafeHtml } from '#html';
import { HttpResponse } from '#http';
import { viewEvent } from '../exchange/kernel-events.js';
import { type KernelListener, kernelListener, kernelPriority } from '../kernel-listener.js';

/**
 * Turns the result of a controller into a response: web `Response`, safe HTML, string (as plain text, because markup has
 * its own type), bytes, stream, and any other object as JSON. For `null` and `undefined` the kernel throws an error that
 * explains the fix.
 */
export const viewListener: KernelListener = kernelListener(
  viewEvent,
  (event) => {
    event.response = responseOf(event.result);
  },
  { name: 'view', priority: kernelPriority.view.result },
);

function responseOf(result: unknown): HttpResponse | undefined {
  if (typeof result === 'string') return HttpResponse.text(result);
  if (typeof result === 'number' || typeof result === 'boolean') return HttpResponse.json(result);
  if (typeof result !== 'object' || result === null) return undefined;
  if (isSafeHtml(result)) return HttpResponse.html(result.toString());
  if (isPlain(result)) return HttpResponse.json(result);
  if (result instanceof Response) return HttpResponse.fromWeb(result);
  if (result instanceof Uint8Array || result instanceof ReadableStream || isAsyncIterable(result)) {
    return new HttpResponse(result, { headers: { 'Content-Type': 'application/octet-stream' } });
  }
  return HttpResponse.json(result);
}

/** Recognises plain objects, the most common result, before `responseOf` names classes that Node loads on first use. */
function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype && !isAsyncIterable(value);
}

function isAsyncIterable(value: object): value is AsyncIterable<Uint8Array | string> {
  return Symbol.asyncIterator in value;
}

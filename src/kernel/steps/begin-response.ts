import type { HttpRequest, HttpResponse } from '#http';
import { assertResponse, beginBody, isBodiless, isStreamedBody } from '#http';
import type { KernelExchange } from '../exchange/kernel-exchange.js';

/** End of row 8: what cannot be sent is found while it can still be answered with an error. */
export function beginResponse(exchange: KernelExchange): void | Promise<void> {
  const { request, response } = exchange;
  if (response === undefined) return;
  assertResponse(response);
  const { body, status } = response;
  if (isStreamedBody(body) && !isBodiless(request.source.method, status)) return begin(response, request);
}

async function begin(response: HttpResponse, { scope, signal }: HttpRequest): Promise<void> {
  const { body } = response;
  if (!isStreamedBody(body)) return;
  try {
    response.body = await beginBody(body, scope);
  } catch (error) {
    if (!signal.aborted) throw error;
    response.body = null; // the client is gone, and the body was stopped: there is nobody to answer
  }
}

import type { Around } from '#controller';
import { HttpResponse } from '#http';
import { kernelErrors } from '../exchange/error-codes.js';
import type { KernelExchange } from '../exchange/kernel-exchange.js';
import { callController } from './call-controller.js';
import { decideArguments } from './decide-arguments.js';
import { makeResponse } from './make-response.js';
import { runSteps } from './run-steps.js';

const controllerSteps = [decideArguments, callController, makeResponse] as const;
const noLayers: readonly Around[] = [];

/** Rows 5 to 7, inside of the layers that the application and the route put around them. */
export function answerRoute(exchange: KernelExchange): void | Promise<void> {
  const outer = exchange.services.around ?? noLayers;
  const own = exchange.controller?.around ?? noLayers;
  if (outer.length + own.length === 0) return runSteps(controllerSteps, exchange);
  const answer = pass(exchange, outer.length === 0 ? own : [...outer, ...own]);
  if (answer instanceof Promise) return answer.then((response) => take(exchange, response));
  return take(exchange, answer);
}

function take(exchange: KernelExchange, response: HttpResponse): void {
  exchange.response = response;
}

/** What comes of the layers from `index` on. */
function pass(
  exchange: KernelExchange,
  layers: readonly Around[],
  index = 0,
): HttpResponse | Promise<HttpResponse> {
  const layer = layers[index];
  if (layer === undefined) return answerInside(exchange);
  let isPassed = false;
  const answer: unknown = layer(exchange.request, () => {
    if (isPassed) throw kernelErrors.create('KERNEL_NEXT_TWICE', { name: nameOf(layer) });
    isPassed = true;
    return pass(exchange, layers, index + 1);
  });
  if (answer instanceof HttpResponse) return answer;
  return Promise.resolve(answer).then((response) => {
    if (response instanceof HttpResponse) return response;
    throw kernelErrors.create('KERNEL_AROUND_RESULT', { name: nameOf(layer), what: typeof response });
  });
}

function answerInside(exchange: KernelExchange): HttpResponse | Promise<HttpResponse> {
  const pending = runSteps(controllerSteps, exchange);
  return pending === undefined ? responseOf(exchange) : pending.then(() => responseOf(exchange));
}

/** For the layers to change: a copy, since a controller may return one response to everybody. The last step sets it or throws. */
function responseOf({ response }: KernelExchange): HttpResponse {
  return response?.copy() ?? new HttpResponse(null, { status: 500 });
}

function nameOf(layer: Around): string {
  return layer.name || 'anonymous';
}

import { type Around, resolveArguments } from '#controller';
import { HttpResponse } from '#http';
import { kernelErrors } from '../exchange/error-codes.js';
import { type KernelExchange, whenDone, runSteps } from '../exchange/kernel-exchange.js';
import { isPromise } from 'node:util/types';
import {
  controllerArgumentsEvent,
  type ControllerArgumentsEvent,
  viewEvent,
  type ViewEvent,
} from '../exchange/kernel-events.js';

const controllerSteps = [resolveControllerArguments, callController] as const;
const noLayers: readonly Around[] = [];

/** Runs rows 5 to 7 inside the layers of the application and of the route. */
export function answerRoute(exchange: KernelExchange): void | Promise<void> {
  const outer = exchange.services.around ?? noLayers;
  const own = exchange.controller?.around ?? noLayers;
  if (outer.length + own.length === 0) return runSteps(controllerSteps, exchange);
  const answer = callLayer(exchange, outer.length === 0 ? own : [...outer, ...own]);
  if (answer instanceof Promise) return answer.then((response) => take(exchange, response));
  return take(exchange, answer);
}

function take(exchange: KernelExchange, response: HttpResponse): void {
  exchange.response = response;
}

/** Calls the layer at `index`, whose `next` calls the following ones and finally the controller. */
function callLayer(
  exchange: KernelExchange,
  layers: readonly Around[],
  index = 0,
): HttpResponse | Promise<HttpResponse> {
  const layer = layers[index];
  if (layer === undefined) return callInnermost(exchange);
  let isPassed = false;
  const answer: unknown = layer(exchange.request, () => {
    if (isPassed) throw kernelErrors.create('KERNEL_NEXT_TWICE', { name: layerName(layer) });
    isPassed = true;
    return callLayer(exchange, layers, index + 1);
  });
  if (answer instanceof HttpResponse) return answer;
  return Promise.resolve(answer).then((response) => {
    if (response instanceof HttpResponse) return response;
    throw kernelErrors.create('KERNEL_AROUND_RESULT', { name: layerName(layer), what: typeof response });
  });
}

function callInnermost(exchange: KernelExchange): HttpResponse | Promise<HttpResponse> {
  const pending = runSteps(controllerSteps, exchange);
  return pending === undefined ? responseOf(exchange) : pending.then(() => responseOf(exchange));
}

/** Returns a copy that the layers may change: a controller may return the same response object for every request. */
function responseOf({ response }: KernelExchange): HttpResponse {
  // The fallback is only for the type: the last step sets the response or throws.
  return response?.copy() ?? new HttpResponse(null, { status: 500 });
}

function layerName(layer: Around): string {
  return layer.name || 'anonymous';
}

/** Row 6: calls the controller. */
function callController(exchange: KernelExchange): void | Promise<void> {
  const result = exchange.controller?.call(...exchange.arguments);
  // `then` instead of `await`: while asynchronous hooks are active, every additional promise costs as much as a listener.
  if (isPromise(result)) return result.then((value) => makeResponse(exchange, value));
  if (isThenable(result)) return Promise.resolve(result).then((value) => makeResponse(exchange, value));
  return makeResponse(exchange, result);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/**
 * Row 5: resolves the arguments before listeners check them, so that access is decided on the values the controller gets.
 */
function resolveControllerArguments(exchange: KernelExchange): void | Promise<void> {
  const { controller, request } = exchange;
  if (controller === undefined) return;
  const values = resolveArguments(controller.arguments, request);
  if (values instanceof Promise)
    return values.then((resolved) => dispatchArguments(exchange, controller, resolved));
  return dispatchArguments(exchange, controller, values);
}

function dispatchArguments(
  exchange: KernelExchange,
  controller: NonNullable<KernelExchange['controller']>,
  values: unknown[],
): void | Promise<void> {
  const event = { request: exchange.request, controller, arguments: values };
  const pending = exchange.services.dispatcher.dispatch(controllerArgumentsEvent, event);
  return whenDone(pending, storeArguments, exchange, event);
}

function storeArguments(exchange: KernelExchange, event: ControllerArgumentsEvent): void {
  exchange.controller = event.controller;
  exchange.arguments = event.arguments;
}

/** Row 7: turns a result that is not a response into one. */
function makeResponse(exchange: KernelExchange, result: unknown): void | Promise<void> {
  const { request, services } = exchange;
  if (result instanceof HttpResponse) {
    exchange.response = result;
    return;
  }
  const event: ViewEvent = { request, result, response: undefined };
  return whenDone(services.dispatcher.dispatch(viewEvent, event), storeViewResponse, exchange, event);
}

function storeViewResponse(exchange: KernelExchange, event: ViewEvent): void {
  if (event.response === undefined) throw noResponse(exchange, event.result);
  exchange.response = event.response;
}

function noResponse({ controller }: KernelExchange, result: unknown): Error {
  const what = result === null ? 'null' : typeof result === 'function' ? 'a function' : typeof result;
  const hint = result === undefined ? ' Is a return statement missing?' : '';
  return kernelErrors.create('KERNEL_NO_RESPONSE', { controller: controller?.name ?? 'unknown', what, hint });
}

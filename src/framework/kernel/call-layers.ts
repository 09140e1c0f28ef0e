import { HttpResponse } from '#core/http';
import type { Around } from '#framework/controller';
import { kernelErrors } from './exchange/error-codes.js';
import { KernelExchange } from './exchange/kernel-exchange.js';
import { passStages, type StagePath } from './stage-path.js';

const noLayers: readonly Around[] = [];

/** Whether neither the application nor the controller has layers. */
export function hasNoLayers({ services, controller }: KernelExchange): boolean {
  return (services.around ?? noLayers).length + (controller?.around ?? noLayers).length === 0;
}

/** Calls the application's and the controller's layers, outermost first, around the stages in `inner`. */
export function callLayers(inner: StagePath, exchange: KernelExchange): HttpResponse | Promise<HttpResponse> {
  const outer = exchange.services.around ?? noLayers;
  const own = exchange.controller?.around ?? noLayers;
  return callLayer({ layers: outer.length === 0 ? own : [...outer, ...own], inner, exchange }, 0);
}

interface LayerCall {
  readonly layers: readonly Around[];
  readonly inner: StagePath;
  readonly exchange: KernelExchange;
}

/** Calls the layer at `index`; its `next` calls the following layers and finally runs the inner stages. */
function callLayer(call: LayerCall, index: number): HttpResponse | Promise<HttpResponse> {
  const layer = call.layers[index];
  if (layer === undefined) return passInner(call);
  let isPassed = false;
  const answer: unknown = layer(call.exchange.request, () => {
    if (isPassed) throw kernelErrors.create('KERNEL_NEXT_TWICE', { name: layerName(layer) });
    isPassed = true;
    return callLayer(call, index + 1);
  });
  if (answer instanceof HttpResponse) return answer;
  return Promise.resolve(answer).then((response) => {
    if (response instanceof HttpResponse) return response;
    throw kernelErrors.create('KERNEL_AROUND_RESULT', { name: layerName(layer), what: typeof response });
  });
}

/**
 * Runs the inner stages with a separate exchange: a layer may answer without waiting for them, or instead of their
 * error.
 */
function passInner({ inner, exchange }: LayerCall): HttpResponse | Promise<HttpResponse> {
  const { request, services, controller } = exchange;
  const own = new KernelExchange(request, services);
  own.controller = controller;
  return passStages(inner, own);
}

function layerName(layer: Around): string {
  return layer.name || 'anonymous';
}

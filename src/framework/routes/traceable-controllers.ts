import type { Around, ResolvedController } from '#controller';

import type { Route } from '#routing';

import { currentRecording, registerSpan } from '#profiler';

/** Wraps controllers so that their duration is added to the current recording. */
export function createTraceableControllers(
  controllerOf: (route: Route) => ResolvedController,
): (route: Route) => ResolvedController {
  const span = registerSpan({ category: 'controller', name: 'controller' });
  const traced = new WeakMap<ResolvedController, ResolvedController>();
  return (route) => {
    const controller = controllerOf(route);
    let wrapped = traced.get(controller);
    if (wrapped === undefined) {
      wrapped = { ...controller, call: traceCall(controller.call, span) };
      if (controller.around !== undefined)
        wrapped = { ...wrapped, around: controller.around.map(traceLayer) };
      traced.set(controller, wrapped);
    }
    return wrapped;
  };
}

/** Wraps a layer so that its duration, including everything inside of it, is added to the current recording. */
export function traceLayer(layer: Around): Around {
  const span = registerSpan({ category: 'around', name: layer.name || 'anonymous' });
  const traced = traceCall(layer, span);
  return Object.defineProperty(traced, 'name', { value: layer.name });
}

function traceCall<Arguments extends unknown[], Result>(
  call: (...args: Arguments) => Result,
  span: number,
): (...args: Arguments) => Result {
  return (...args) => {
    const recording = currentRecording();
    if (recording === undefined) return call(...args);
    const place = recording.enter(span);
    let result: Result;
    try {
      result = call(...args);
    } catch (error) {
      recording.leave(place, 'failed');
      throw error;
    }
    if (!(result instanceof Promise)) {
      recording.leave(place);
      return result;
    }
    // `then` creates one promise, `finally` would create four.
    return result.then(
      (value: unknown) => {
        recording.leave(place);
        return value;
      },
      (error: unknown) => {
        recording.leave(place);
        throw error;
      },
    ) as Result; // resolves to the same value as `result`
  };
}

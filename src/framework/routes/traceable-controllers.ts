import type { ResolvedController } from '#controller';

import type { Route } from '#routing';

import { currentRecording, registerSpan } from '#profiler';

/** The same controllers, with the time they take told to the open recording. */
export function createTraceableControllers(
  controllerOf: (route: Route) => ResolvedController,
): (route: Route) => ResolvedController {
  const span = registerSpan({ category: 'controller', name: 'controller' });
  const traced = new WeakMap<ResolvedController, ResolvedController>();
  return (route) => {
    const controller = controllerOf(route);
    let wrapped = traced.get(controller);
    if (wrapped === undefined)
      traced.set(controller, (wrapped = { ...controller, call: traceCall(controller, span) }));
    return wrapped;
  };
}

function traceCall(controller: ResolvedController, span: number): ResolvedController['call'] {
  return (...args) => {
    const recording = currentRecording();
    if (recording === undefined) return controller.call(...args);
    const place = recording.enter(span);
    let result: unknown;
    try {
      result = controller.call(...args);
    } catch (error) {
      recording.leave(place, 'failed');
      throw error;
    }
    if (!(result instanceof Promise)) {
      recording.leave(place);
      return result;
    }
    return result.finally(() => recording.leave(place));
  };
}

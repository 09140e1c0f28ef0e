import {
  type Around,
  type ContextServices,
  type ControllerClass,
  ControllerContext,
  resolveController,
  type ResolvedController,
  type ValueResolver,
} from '#framework/controller';
import type { SourceLoader } from '#core/errors';
import { currentRecording, registerSpan } from '#profiler';
import type { Route } from '#core/routing';
import { RouteTarget } from './declare-routes.js';

interface ControllerTableOptions {
  readonly instantiate?: ((owner: ControllerClass) => object) | undefined;
  /** Maps route declarations' compiled positions to the original sources. */
  readonly sources: SourceLoader;
  /** Whether controller and layer durations are added to the current recording. */
  readonly isTraced: boolean;
}

/** Resolves a route's controller, once per route, and instantiates each controller class once. */
export function createControllerTable(
  services: ContextServices,
  { instantiate = (Owner) => new Owner(), sources, isTraced }: ControllerTableOptions,
): (route: Route) => ResolvedController {
  const resolved = new WeakMap<Route, ResolvedController>();
  const instances = new Map<ControllerClass, object>();
  const context: ValueResolver<ControllerContext> = {
    name: 'context',
    resolve: (request) => new ControllerContext(request, services),
  };
  const instanceOf = (owner: ControllerClass): object => {
    let instance = instances.get(owner);
    if (instance === undefined) instances.set(owner, (instance = instantiate(owner)));
    return instance;
  };
  const span = isTraced ? registerSpan({ category: 'controller', name: 'controller' }) : undefined;
  const resolve = ({ name, target: given }: Route): ResolvedController => {
    const target = given instanceof RouteTarget ? given : new RouteTarget(given as never); // resolveController checks the type
    const { around, location } = target;
    const made = resolveController(target.controller, {
      route: name,
      arguments: target.arguments,
      context,
      instantiate: instanceOf,
    });
    return {
      ...made,
      call: span === undefined ? made.call : traceCall(made.call, span),
      ...(around.length > 0 && { around: isTraced ? around.map(traceLayer) : around }),
      ...(location !== undefined && { location: () => location(sources) }),
    };
  };
  return (route) => {
    let controller = resolved.get(route);
    if (controller === undefined) resolved.set(route, (controller = resolve(route)));
    return controller;
  };
}

/** Wraps a layer so that its duration, including everything inside it, is added to the current recording. */
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
    const index = recording.enter(span);
    let result: Result;
    try {
      result = call(...args);
    } catch (error) {
      recording.leave(index);
      throw error;
    }
    if (!(result instanceof Promise)) {
      recording.leave(index);
      return result;
    }
    // `then` creates one promise, `finally` would create four.
    return result.then(
      (value: unknown) => {
        recording.leave(index);
        return value;
      },
      (error: unknown) => {
        recording.leave(index);
        throw error;
      },
    ) as Result; // resolves to the same value as `result`
  };
}

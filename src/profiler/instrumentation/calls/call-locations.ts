import { replaceMethod, type Undo, undoAll } from '#core/patches';
import { currentScope, runInScope } from '#core/scope';
import { noteLocation, runFromHere, scopeFrom } from '../source/moment.js';

/** Gives requests of got, by the prototype of its `Request`, the place of the call: it sends them from a stack of its own. */
export function instrumentGot(prototype: object): Undo | undefined {
  return replaceMethod(prototype, 'flush', (former, args, self) =>
    runFromHere(() => Reflect.apply(former, self, args)),
  );
}

/** Notes where a request of superagent is made: it is sent when it is awaited. Its constructor calls `on`. */
export function instrumentSuperagent(prototype: object): Undo {
  const locations = new WeakMap<object, ReturnType<typeof noteLocation>>();
  return undoAll([
    replaceMethod<object>(prototype, 'on', (former, args, self) => {
      if (currentScope() !== undefined && !locations.has(self)) locations.set(self, noteLocation());
      return Reflect.apply(former, self, args);
    }),
    replaceMethod<object>(prototype, 'request', (former, args, self) => {
      const [scope, location] = [currentScope(), locations.get(self)];
      const send = (): unknown => Reflect.apply(former, self, args);
      return scope === undefined || location === undefined
        ? send()
        : runInScope(scopeFrom(scope, location), send);
    }),
  ]);
}

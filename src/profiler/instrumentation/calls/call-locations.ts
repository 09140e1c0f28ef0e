import { replaceMethod, type Undo, undoAll } from '#core/patches';
import { currentScope, runInScope } from '#core/scope';
import { noteLocation, runFromHere, scopeFrom } from '../source/moment.js';

/**
 * Gives got's requests the application's call site, by instrumenting the prototype of its `Request`, because got sends
 * them on its own stack.
 */
export function instrumentGot(prototype: object): Undo | undefined {
  return replaceMethod(prototype, 'flush', (former, args, self) =>
    runFromHere(() => Reflect.apply(former, self, args)),
  );
}

/** Captures where a superagent request is created, because it is only sent when awaited. Its constructor calls `on`. */
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

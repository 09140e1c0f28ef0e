import type { EntityManager } from '@mikro-orm/core';
import { mikroOrm } from '../orm/mikro-orm.js';
import type { BehaviourSubscriber } from './behaviour-subscriber.js';
import type { BypassKind } from './bypasses.js';

/** Methods of entity managers that write rows without loading entities. */
const nativeCalls: readonly (readonly [string, BypassKind])[] = [
  ['insert', 'create'],
  ['insertMany', 'create'],
  ['upsert', 'create'],
  ['upsertMany', 'create'],
  ['nativeUpdate', 'update'],
  ['nativeDelete', 'remove'],
];
/** Methods of query builders that turn them into a write. */
const builderCalls: readonly (readonly [string, BypassKind])[] = [
  ['insert', 'create'],
  ['update', 'update'],
  ['delete', 'remove'],
  ['truncate', 'remove'],
];

type Call = (...args: unknown[]) => unknown;

/** Wraps the methods of an entity manager that bypass the behaviours of an entity, so that they are reported. */
export function watchBypasses(em: EntityManager, { plans, bypasses }: BehaviourSubscriber): void {
  // Without behaviours nothing can be bypassed, and wrapping would cost time in each request.
  if (bypasses.policy === 'allow' || plans.size === 0) return;
  for (const [name, kind] of nativeCalls) {
    wrap(em, name, (original, args) => {
      const plan = plans.get(nameOf(args[0]));
      if (plan !== undefined) bypasses.note(plan, name, kind);
      return original(...args);
    });
  }
  for (const name of ['createQueryBuilder', 'qb']) {
    wrap(em, name, (original, args) => {
      const builder = original(...args);
      const plan = plans.get(nameOf(args[0]));
      if (plan === undefined || typeof builder !== 'object' || builder === null) return builder;
      for (const [method, kind] of builderCalls) {
        wrap(builder, method, (write, given) => {
          bypasses.note(plan, `a query builder's ${method}`, kind);
          return write(...given);
        });
      }
      return builder;
    });
  }
}

/** Replaces a method with `run`, if the object has it: entity managers without SQL have no query builders. */
function wrap(
  target: object,
  name: string,
  run: (original: Call, args: readonly unknown[]) => unknown,
): void {
  const method: unknown = Reflect.get(target, name);
  if (typeof method !== 'function') return;
  const original: Call = (...args) => Reflect.apply(method, target, args);
  Reflect.set(target, name, (...args: unknown[]) => run(original, args));
}

/** Returns the name of a class, which is given as a string, a class, a schema, an entity, or a list of entities. */
function nameOf(target: unknown): string {
  if (typeof target === 'string') return target;
  if (Array.isArray(target)) return nameOf(target[0]);
  if (mikroOrm.Utils.isEntity<object>(target)) return target.constructor.name;
  const isNamed =
    (typeof target === 'function' || typeof target === 'object') && target !== null && 'name' in target;
  return isNamed && typeof target.name === 'string' ? target.name : '';
}

import type { EntityManager } from '@mikro-orm/core';
import { mikroOrm } from '../orm/mikro-orm.js';
import type { BehaviourSubscriber } from './behaviour-subscriber.js';
import type { BypassKind } from './bypasses.js';

/** Methods of entity managers that write rows and no entities. */
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

/** Has the entity manager say when a statement passes the behaviours of an entity by. */
export function watchBypasses(em: EntityManager, { plans, bypasses }: BehaviourSubscriber): void {
  // Without behaviours there is nothing to pass by, and each request has an entity manager of its own.
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

/** Puts `run` in the place of a method that the object has; entity managers without SQL build no queries. */
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

/** The class that was named: by a string, a class, a schema, an entity, or a list of entities. */
function nameOf(target: unknown): string {
  if (typeof target === 'string') return target;
  if (Array.isArray(target)) return nameOf(target[0]);
  if (mikroOrm.Utils.isEntity<object>(target)) return target.constructor.name;
  const isNamed =
    (typeof target === 'function' || typeof target === 'object') && target !== null && 'name' in target;
  return isNamed && typeof target.name === 'string' ? target.name : '';
}

import { isProxy } from 'node:util/types';
import type { Redactor } from '#dump';
import { dump } from '#dump';

/**
 * Log contexts as JSON of their pictures. A context is pictured when it is logged, since what it names may be something
 * else later; one that can never be something else, a frozen object of simple values, is pictured once.
 */
export class LogContexts {
  readonly #redactor: Redactor;
  readonly #frozen = new WeakMap<object, string>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Empty text for no context. */
  take(context: unknown): string {
    if (context === undefined) return '';
    // Asked of a Proxy, even whether it is frozen runs its code.
    if (typeof context !== 'object' || context === null || isProxy(context) || !Object.isFrozen(context))
      return this.#picture(context);
    let known = this.#frozen.get(context);
    if (known !== undefined) return known;
    known = this.#picture(context);
    if (isSimple(context)) this.#frozen.set(context, known);
    return known;
  }

  #picture(context: unknown): string {
    return JSON.stringify(dump(context, { redactor: this.#redactor }));
  }
}

/** Whether nothing below could change: own values only, none of them an object. Runs no code of the object. */
function isSimple(frozen: object): boolean {
  return Object.values(Object.getOwnPropertyDescriptors(frozen)).every(
    (property) => 'value' in property && isPrimitive(property.value),
  );
}

function isPrimitive(value: unknown): boolean {
  return value === null || (typeof value !== 'object' && typeof value !== 'function');
}

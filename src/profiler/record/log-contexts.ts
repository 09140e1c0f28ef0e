import type { Picture, Redactor } from '#dump';
import { createDump } from '#dump';
import { SharedPicture } from './shared-picture.js';

/**
 * Pictures of log contexts. A context is pictured when it is logged, since what it names may be something else later;
 * one that can never be something else, a frozen object of simple values, is pictured once.
 */
export class LogContexts {
  readonly #picture: (context: unknown) => Picture;
  readonly #frozen = new WeakMap<object, SharedPicture>();

  constructor(redactor: Redactor) {
    this.#picture = createDump({ redactor });
  }

  /** Undefined for no context. */
  take(context: unknown): Picture | SharedPicture | undefined {
    if (context === undefined) return undefined;
    if (typeof context !== 'object' || context === null) return this.#picture(context);
    const known = this.#frozen.get(context);
    if (known !== undefined) return known;
    const picture = this.#picture(context);
    // Asked of a Proxy, even whether it is frozen runs its code.
    if (picture.type === 'proxy' || !Object.isFrozen(context) || !isSimple(context)) return picture;
    const shared = new SharedPicture(picture);
    this.#frozen.set(context, shared);
    return shared;
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

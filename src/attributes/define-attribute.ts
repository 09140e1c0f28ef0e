import { annotate } from './attribute-registry.js';
import type { AttributeType } from './attribute.js';

/** Declares a kind of fact. */
export function defineAttribute<Value>(name: string): AttributeType<Value> {
  const type: AttributeType<Value> = {
    name,
    of: (value) => ({ type, value }),
    on: (value) => (target, _context, descriptor) => {
      annotate(decoratedFunction(name, target, descriptor), type.of(value));
    },
  };
  return type;
}

function decoratedFunction(name: string, target: object, descriptor: unknown): () => unknown {
  const method =
    typeof descriptor === 'object' && descriptor !== null && 'value' in descriptor
      ? descriptor.value
      : target;
  if (typeof method !== 'function') {
    throw new TypeError(`@${name} can stand on a class or a method only.`);
  }
  return method as () => unknown; // only used as a key; never called
}

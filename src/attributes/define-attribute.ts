import { annotate } from './attribute-registry.js';

/** One declared fact. */
export interface Attribute<Value> {
  readonly type: AttributeType<Value>;
  readonly value: Value;
}

/**
 * A decorator that fits both proposals: TC39 stage 3 (`value, context`) on methods and classes, and TypeScript's
 * `experimentalDecorators` (`prototype, key, descriptor` on methods, `constructor` on classes).
 */
export type AttributeDecorator = (target: object, context?: unknown, descriptor?: unknown) => void;

/** A kind of fact, made once by the house that reads it. */
export interface AttributeType<Value> {
  readonly name: string;
  /** The fact as data: `annotate(handler, isGranted.of('ROLE_ADMIN'))`. */
  of(value: Value): Attribute<Value>;
  /** The fact as decorator: `@isGranted.on('ROLE_ADMIN')`. */
  on(value: Value): AttributeDecorator;
}

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

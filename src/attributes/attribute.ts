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

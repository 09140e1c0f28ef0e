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
    throw new TypeError(`@${name} can only be used on a class or a method.`);
  }
  return method as () => unknown; // only used as a key; never called
}

/** Any function or class; the registry only ever uses it as a key. */
type Declared = (...args: never[]) => unknown;
type DeclaredClass = abstract new (...args: never[]) => unknown;

const declared = new WeakMap<object, readonly Attribute<unknown>[]>();

/** Declares facts on a function or class and returns it. Both kinds of decorators use it. */
export function annotate<Target extends Declared | DeclaredClass>(
  target: Target,
  ...attributes: readonly Attribute<unknown>[]
): Target {
  declared.set(target, [...(declared.get(target) ?? []), ...attributes]);
  return target;
}

/**
 * The values declared under `type`: those of the owner class (and the classes it extends, outermost first), then those
 * of the target itself. All declarations of a type are returned.
 */
export function attributesOf<Value>(
  type: AttributeType<Value>,
  target: Declared | DeclaredClass,
  owner?: DeclaredClass,
): readonly Value[] {
  const own = valuesAt(type, target);
  if (owner === undefined) return own;
  const shared = classesOf(owner).flatMap((place) => valuesAt(type, place));
  return shared.length === 0 ? own : [...shared, ...own];
}

/** Asked several times a request, mostly where nothing is declared: then nothing is made. */
function valuesAt<Value>(type: AttributeType<Value>, place: object): readonly Value[] {
  const attributes = declared.get(place);
  if (attributes === undefined) return noAttributes;
  return attributes.filter((attribute) => attribute.type === type).map(({ value }) => value as Value); // the type object is the proof of the value's type
}

const noAttributes: readonly never[] = Object.freeze([]);

function classesOf(owner: DeclaredClass | undefined): object[] {
  const classes: object[] = [];
  for (
    let current: unknown = owner;
    typeof current === 'function';
    current = Object.getPrototypeOf(current)
  ) {
    classes.unshift(current);
  }
  return classes;
}

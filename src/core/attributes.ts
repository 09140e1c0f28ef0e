import { callable, checkValue } from '#core/options';

/** An attribute as declared: its type and its value. */
export interface Attribute<Value> {
  readonly type: AttributeType<Value>;
  readonly value: Value;
}

/** A decorator for TC39 stage 3 (`value, context`) and for TypeScript's `experimentalDecorators`. */
export type AttributeDecorator = (target: object, context?: unknown, descriptor?: unknown) => void;

/** A type of attribute, created once by the module that reads it. */
export interface AttributeType<Value> {
  readonly name: string;
  /** Returns the attribute as data: `annotate(handler, isGranted.of('ROLE_ADMIN'))`. */
  of(value: Value): Attribute<Value>;
  /** Returns the attribute as a decorator: `@isGranted.on('ROLE_ADMIN')`. */
  on(value: Value): AttributeDecorator;
}

/** Creates a type of attribute; the name appears in errors. `check` throws for a value that must not be declared. */
export function defineAttribute<Value>(
  name: string,
  check: (value: Value) => void = () => undefined,
): AttributeType<Value> {
  const type: AttributeType<Value> = {
    name,
    of(value) {
      check(value);
      return { type, value };
    },
    on(value) {
      const attribute = type.of(value);
      return (target, context, descriptor) => {
        annotate(decoratedFunction(name, target, { context, descriptor }), attribute);
      };
    },
  };
  return type;
}

/**
 * Returns the class or method that was decorated. TC39 passes the kind of the member; for `experimentalDecorators`, a
 * class has neither key nor descriptor, and a field or accessor has no value.
 */
function decoratedFunction(
  name: string,
  target: object,
  { context, descriptor }: { readonly context: unknown; readonly descriptor: unknown },
): () => unknown {
  const isClass = context === undefined && descriptor === undefined;
  const kind: unknown = Object(context) === context ? Reflect.get(Object(context), 'kind') : undefined;
  const isOwn = isClass || kind === 'class' || kind === 'method';
  const method: unknown = isOwn ? target : Reflect.get(Object(descriptor), 'value');
  if (typeof method !== 'function') {
    throw new TypeError(`@${name} can only be used on a class or a method.`);
  }
  return method as () => unknown; // only used as a key; never called
}

/** Any function or class, used only as a registry key. */
type Declared = (...args: never[]) => unknown;
type DeclaredClass = abstract new (...args: never[]) => unknown;

const declared = new WeakMap<object, readonly Attribute<unknown>[]>();

/** Adds attributes to a function or class and returns it. The decorators call it as well. */
export function annotate<Target extends Declared | DeclaredClass>(
  target: Target,
  ...attributes: readonly Attribute<unknown>[]
): Target {
  checkValue('annotate()', 'target', target, callable());
  declared.set(target, [...(declared.get(target) ?? []), ...attributes]);
  return target;
}

/**
 * Returns all values declared with `type`: first those on the owner's base classes, then the owner's, then the
 * target's.
 */
export function attributesOf<Value>(
  type: AttributeType<Value>,
  target: Declared | DeclaredClass,
  owner?: DeclaredClass,
): readonly Value[] {
  const own = valuesAt(type, target);
  if (owner === undefined) return own;
  const shared = classesOf(owner).flatMap((location) => valuesAt(type, location));
  return shared.length === 0 ? own : [...shared, ...own];
}

/** Called several times per request, mostly for targets without attributes, so it allocates nothing for these. */
function valuesAt<Value>(type: AttributeType<Value>, location: object): readonly Value[] {
  const attributes = declared.get(location);
  if (attributes === undefined) return noAttributes;
  return attributes.filter((attribute) => attribute.type === type).map(({ value }) => value as Value); // only `type.of` creates attributes of this type, with a Value
}

const noAttributes: readonly never[] = Object.freeze([]);

function classesOf(owner: DeclaredClass): object[] {
  const classes: object[] = [];
  for (let one: unknown = owner; typeof one === 'function'; one = Object.getPrototypeOf(one))
    classes.unshift(one);
  return classes;
}

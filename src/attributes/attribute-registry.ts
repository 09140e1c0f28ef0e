import type { Attribute, AttributeType } from './attribute.js';

/** Any function or class; the registry only ever uses it as a key. */
type Declared = (...args: never[]) => unknown;
type DeclaredClass = abstract new (...args: never[]) => unknown;

const declared = new WeakMap<object, readonly Attribute<unknown>[]>();

/** Declares facts on a function or class and gives it back: the data skin, and what both decorators come down to. */
export function annotate<Target extends Declared | DeclaredClass>(
  target: Target,
  ...attributes: readonly Attribute<unknown>[]
): Target {
  declared.set(target, [...(declared.get(target) ?? []), ...attributes]);
  return target;
}

/**
 * The values declared under `type`: those of the owner class (and the classes it extends, outermost first), then
 * those of the target itself. Several declarations of one type are all given.
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

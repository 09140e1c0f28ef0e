import { isProxy } from 'node:util/types';

/**
 * The value of a data property of the object or of what it inherits from, found without running anything: accessors
 * are passed over, and the search ends at a Proxy.
 */
export function findData(holder: object, key: PropertyKey): unknown {
  let at: object | null = holder;
  for (let step = 0; at !== null && step < 100; step++) {
    if (isProxy(at)) return undefined;
    const property = Object.getOwnPropertyDescriptor(at, key);
    if (property !== undefined) return 'value' in property ? property.value : undefined;
    at = prototypeOf(at);
  }
  return undefined;
}

/** The class that created a value, `Object` for plain objects, `null` without prototype. At most 200 characters. */
export function classNameOf(value: object): string {
  if (isProxy(value)) return 'Proxy';
  const prototype = prototypeOf(value);
  if (prototype === null) return 'null';
  if (prototype === Object.prototype) return 'Object';
  if (prototype === Array.prototype) return 'Array';
  const maker = findData(prototype, 'constructor');
  const name = typeof maker === 'function' && !isProxy(maker) ? functionName(maker) : '';
  return name === '' ? 'Object' : name.slice(0, 200);
}

/** A function's own name as text; empty where it has none or where it is computed. */
export function functionName(value: object): string {
  if (isProxy(value)) return '';
  const name = Object.getOwnPropertyDescriptor(value, 'name')?.value as unknown; // any in the library's type
  return typeof name === 'string' ? name : '';
}

function prototypeOf(value: object): object | null {
  return Object.getPrototypeOf(value) as object | null; // any in the library's type; no trap: proxies were excluded
}

/**
 * A built-in method of a prototype as a function of the object: taken once, before any application code runs, so that
 * neither an own property of the same name nor a later patch of the prototype is ever called.
 */
export function takeMethod<Result>(prototype: object, name: string): (value: object) => Result {
  return take(prototype, name, 'value');
}

/** The getter of a built-in prototype as a function of the object, such as a map's `size`; taken once, as `takeMethod` does. */
export function takeGetter<Result>(prototype: object, name: string): (value: object) => Result {
  return take(prototype, name, 'get');
}

function take<Result>(prototype: object, name: string, part: 'get' | 'value'): (value: object) => Result {
  const property = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
  const found: unknown = Reflect.get(property, part);
  // A Node without it (RegExp's `unicodeSets` on old ones) answers undefined.
  const method = typeof found === 'function' ? found : () => undefined;
  return (value) => Reflect.apply(method, value, []) as Result; // the caller names the built-in's result
}

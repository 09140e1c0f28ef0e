import { isProxy } from 'node:util/types';

/** Returns an own or inherited data property without running code; undefined for accessors, and behind a Proxy. */
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

/**
 * Returns the class name of a value; `Object` for plain objects, `null` without a prototype. At most 200 characters.
 */
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

/** Returns a function's own name; empty if it has none or if `name` is an accessor or not a string. */
export function functionName(value: object): string {
  if (isProxy(value)) return '';
  const name = Object.getOwnPropertyDescriptor(value, 'name')?.value as unknown; // typed as any by the library
  return typeof name === 'string' ? name : '';
}

function prototypeOf(value: object): object | null {
  return Object.getPrototypeOf(value) as object | null; // typed as any by the library; no trap runs, because proxies are excluded
}

/** Returns a built-in method as a function that takes the object, read once, so that later prototype patches are never called. */
export function takeMethod<Result>(prototype: object, name: string): (value: object) => Result {
  return take(prototype, name, 'value');
}

/** Returns a built-in getter, such as a map's `size`, as a function that takes the object; read once, like `takeMethod`. */
export function takeGetter<Result>(prototype: object, name: string): (value: object) => Result {
  return take(prototype, name, 'get');
}

function take<Result>(prototype: object, name: string, part: 'get' | 'value'): (value: object) => Result {
  const property = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
  const found: unknown = Reflect.get(property, part);
  // Returns undefined if this Node version lacks the built-in (`unicodeSets` of RegExp).
  const method = typeof found === 'function' ? found : () => undefined;
  return (value) => Reflect.apply(method, value, []) as Result; // the caller states the type of the result
}

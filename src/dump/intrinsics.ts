/**
 * A built-in method of a prototype as a function of the object: taken once, before any application code runs, so that
 * neither an own property of the same name nor a later patch of the prototype is ever called.
 */
export function takeMethod<Result>(prototype: object, name: string): (value: object) => Result {
  return take(prototype, name, 'value');
}

/** The same for a built-in getter, such as a map's `size`. */
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

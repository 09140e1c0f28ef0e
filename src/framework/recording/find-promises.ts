import { isPromise, isProxy } from 'node:util/types';

const maxDepth = 3;
const maxValues = 500;
const maxFound = 5;

/**
 * Finds promises in the result of a controller and returns their paths, such as `user` or `items.0.author`. They are not
 * awaited, and JSON renders each as `{}`. Reads plain data properties only and calls no foreign code.
 */
export function findPromises(result: unknown): readonly string[] {
  const found: string[] = [];
  let left = maxValues;
  const look = (value: unknown, path: string, depth: number): void => {
    if (typeof value !== 'object' || value === null || left-- <= 0 || found.length >= maxFound) return;
    if (isPromise(value)) found.push(path);
    else if (!isProxy(value) && depth < maxDepth)
      for (const name of Object.keys(value).slice(0, left)) {
        const inner: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
        look(inner, path === '' ? name : `${path}.${name}`, depth + 1);
      }
  };
  look(result, '', 0);
  return found;
}

import type { CompiledRoute } from './compile-route.js';
import type { RouteEnding } from './compile-routes.js';
import type { PathShape } from './path-shape.js';
import type { RouteParameters } from './route.js';

/** Texts of a shape's variables in a path; undefined where the path does not have the shape. */
export function readValues(shape: PathShape, path: string): readonly (string | undefined)[] | undefined {
  if (shape.expression !== undefined) return shape.expression.exec(path)?.slice(1);
  if (shape.slash !== path.endsWith('/')) return undefined;
  const values = splitSegments(shape, path);
  const { tests } = shape;
  const fits = tests === undefined || values.every((value, index) => tests[index]?.test(value) ?? true);
  return fits ? values : undefined;
}

/** Variables that are whole segments: each begins after its gap and ends before the next slash. */
function splitSegments(shape: PathShape, path: string): string[] {
  const values: string[] = [];
  let at = 0;
  for (const gap of shape.gaps) {
    const slash = path.indexOf('/', at + gap);
    const stop = slash === -1 ? path.length : slash;
    values.push(path.slice(at + gap, stop));
    at = stop;
  }
  return values;
}

/** Variables over defaults, converted. Undefined when a converter refuses a text. */
export function readParameters(
  ending: RouteEnding,
  texts: { readonly path: string; readonly host: string },
  given?: readonly (string | undefined)[],
): RouteParameters | undefined {
  const { shape, owner } = ending;
  const parameters = Object.create(null) as Record<string, unknown>; // as: a bare object
  for (const [name, value] of owner.defaults) parameters[name] = value;
  if (owner.hostVariables.length > 0) addHostVariables(owner, texts.host, parameters);
  if (shape.variables.length > 0) {
    const values = given ?? splitSegments(shape, texts.path);
    shape.variables.forEach((name, index) => {
      if (values[index] !== undefined) parameters[name] = values[index];
    });
  }
  for (const [name, converter] of owner.converters) {
    const text = parameters[name];
    if (typeof text !== 'string') continue; // a default that is a value already
    const value = converter.parse(text);
    if (value === undefined) return undefined;
    parameters[name] = value;
  }
  return parameters;
}

function addHostVariables(owner: CompiledRoute, host: string, parameters: Record<string, unknown>): void {
  const values = owner.host instanceof RegExp ? owner.host.exec(host) : null;
  owner.hostVariables.forEach((name, index) => {
    parameters[name] = values?.[index + 1];
  });
}

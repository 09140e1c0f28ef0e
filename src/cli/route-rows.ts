import { relative } from 'node:path';
import { createSourceLoader } from '#errors';
import type { Route } from '#routing';

/** A route as one line of a list. */
export function routeRow(route: Route): Record<string, string> {
  return {
    Name: route.key,
    Method: anyOr(route.methods),
    Scheme: anyOr(route.schemes.map((scheme) => scheme.toUpperCase())),
    Host: route.host ?? 'ANY',
    Path: route.path,
    Controller: targetName(route.target) || placeOf(route),
  };
}

/** Everything that is known of a route. */
export function routeDetails(route: Route): Record<string, string> {
  return {
    ...routeRow(route),
    'Declared at': placeOf(route),
    Requirements: pairs(route.requirements),
    Defaults: pairs(route.defaults),
    Variables: route.variables.join(', '),
    Converters: Object.keys(route.converters).join(', '),
    Condition: route.condition === undefined ? '' : 'yes',
    Priority: String(route.priority),
    Stateless: route.stateless ? 'yes' : 'no',
  };
}

const sources = createSourceLoader();

/** Where it is declared: `src/app.ts:12`, from the working folder on. Targets of another copy of the package are known as well. */
function placeOf({ target }: Route): string {
  if (typeof target !== 'object' || target === null || !('place' in target)) return '';
  const { place } = target;
  const found: unknown = typeof place === 'function' ? Reflect.apply(place, target, [sources]) : undefined;
  if (typeof found !== 'object' || found === null || !('file' in found) || !('line' in found)) return '';
  return `${relative(process.cwd(), String(found.file))}:${String(found.line)}`;
}

function anyOr(words: readonly string[]): string {
  return words.length === 0 ? 'ANY' : words.join('|');
}

function pairs(record: Readonly<Record<string, unknown>>): string {
  return Object.entries(record)
    .map(
      ([name, value]) => `${name}: ${typeof value === 'object' && value !== null ? 'object' : String(value)}`,
    )
    .join(', ');
}

/** A function by its name, `[Class, 'method']` as `Class.method`. */
function targetName(target: unknown): string {
  if (typeof target === 'function') return target.name;
  if (Array.isArray(target))
    return target.map((part: unknown) => (typeof part === 'string' ? part : targetName(part))).join('.');
  if (typeof target === 'object' && target !== null && 'controller' in target)
    return targetName(target.controller);
  return target === undefined ? '' : typeof target === 'string' ? target : typeof target;
}

import { routingErrors } from './error-codes.js';
import { parsePattern, type Pattern, type VariableToken } from './parse-pattern.js';
import { readRequirement } from './read-requirement.js';
import type { SharedRouteOptions } from './route-definition.js';
import type { Converter, Route } from './route.js';

/** A definition after groups and locales were worked in: one path, one locale. */
export interface FlatDefinition extends SharedRouteOptions {
  readonly name: string;
  readonly path: string;
  readonly pathLocale?: string | undefined;
  readonly target?: unknown;
}

/** Checks a definition and fills everything in. @throws the coded errors of bad paths, requirements and definitions */
export function buildRoute(definition: FlatDefinition): Route {
  const { name, pathLocale } = definition;
  const path = `/${definition.path.trim().replace(/^\/+/, '')}`;
  const pattern = parsePattern(path, { route: name, main: '/' });
  const host = definition.host?.toLowerCase() === '' ? undefined : definition.host;
  const hostPattern = host === undefined ? undefined : parsePattern(host, { route: name, main: '.' });
  const variables = [...variablesOf(hostPattern), ...variablesOf(pattern)];
  refuseTwice(name, variables);
  const defaults = readDefaults(definition, variables);
  const converters = recordOf(definition.converters);
  const locale = pathLocale ?? definition.locale;
  return Object.freeze({
    name,
    key: pathLocale === undefined ? name : `${name}.${pathLocale}`,
    locale,
    path,
    methods: readWords(definition.methods, name, { what: 'method' }),
    host,
    schemes: readWords(definition.schemes, name, { what: 'scheme' }),
    defaults,
    requirements: readRequirements(definition, variables, converters),
    converters,
    mapping: record(
      variables.flatMap((variable) =>
        variable.field === undefined ? [] : [[variable.name, variable.field]],
      ),
    ),
    condition: definition.condition,
    priority: readPriority(definition),
    stateless: definition.stateless ?? false,
    target: definition.target,
    options: recordOf(definition.options),
    variables: variables.map((variable) => variable.name),
    pattern,
    hostPattern,
  });
}

const nothing: Readonly<Record<string, never>> = Object.freeze(Object.create(null) as Record<string, never>); // as: a bare object

function variablesOf(pattern: Pattern | undefined): VariableToken[] {
  return pattern?.tokens.filter((token) => token.kind === 'variable') ?? [];
}

function readDefaults(
  definition: FlatDefinition,
  variables: readonly VariableToken[],
): Readonly<Record<string, unknown>> {
  const { locale, format, pathLocale, defaults } = definition;
  const entries: [string, unknown][] = [];
  for (const variable of variables) {
    if (variable.default !== undefined) entries.push([variable.name, variable.default]);
  }
  if (format !== undefined) entries.push(['_format', format]);
  if (locale !== undefined) entries.push(['_locale', locale]);
  if (defaults !== undefined) entries.push(...Object.entries(defaults));
  if (pathLocale !== undefined) entries.push(['_locale', pathLocale]);
  return record(entries);
}

function readRequirements(
  definition: FlatDefinition,
  variables: readonly VariableToken[],
  converters: Readonly<Record<string, Converter>>,
): Readonly<Record<string, string>> {
  if (
    definition.pathLocale === undefined &&
    definition.requirements === undefined &&
    converters === nothing &&
    !variables.some((one) => one.requirement)
  )
    return nothing;
  const requirements: [string, string][] = [];
  for (const [variable, converter] of Object.entries(converters)) {
    if (converter.requirement !== undefined) requirements.push([variable, converter.requirement]);
  }
  for (const { name, requirement } of variables) {
    if (requirement !== undefined) requirements.push([name, requirement]);
  }
  for (const [variable, requirement] of Object.entries(definition.requirements ?? {})) {
    requirements.push([variable, sourceOf(requirement, definition.name, variable)]);
  }
  const { pathLocale } = definition;
  if (pathLocale !== undefined && variables.some((one) => one.name === '_locale')) {
    requirements.push(['_locale', pathLocale.replace(/[^\w]/g, '\\$&')]); // each path says its own locale only
  }
  for (const [variable, requirement] of requirements) {
    readRequirement(requirement, { route: definition.name, variable });
  }
  return record(requirements);
}

function sourceOf(requirement: string | RegExp, route: string, variable: string): string {
  if (typeof requirement === 'string') return requirement;
  if (/^[dsuvgy]*$/.test(requirement.flags)) return requirement.source;
  return refuse(route, `the requirement of "${variable}" has the flags "${requirement.flags}"`, {
    hint: 'Spell both cases out in the expression; a requirement has no flags.',
  });
}

function readPriority(definition: FlatDefinition): number {
  const priority = definition.priority ?? 0;
  if (Number.isFinite(priority)) return priority;
  return refuse(definition.name, 'its priority is no number', { hint: 'Give a finite number.' });
}

/** Words that were read before; routes of the same methods share their list. */
const knownWords = new Map<string, readonly string[]>();

function readWords(
  given: string | readonly string[] | undefined,
  route: string,
  options: { what: 'method' | 'scheme' },
): readonly string[] {
  if (given === undefined || given.length === 0) return noWords;
  const { what } = options;
  const text = typeof given === 'string' ? given : given.join(' ');
  const earlier = knownWords.get(`${what} ${text}`);
  if (earlier !== undefined) return earlier;
  const list = (typeof given === 'string' ? given.split(/[|,\s]+/) : [...given]).map((word) => {
    if (/^[!#$%&'*+.^_`|~\w-]+$/.test(word))
      return what === 'method' ? word.toUpperCase() : word.toLowerCase();
    return refuse(route, `"${word}" is no ${what}`, {
      hint: `Give each ${what} as one word, e.g. ["GET", "POST"].`,
    });
  });
  const words = Object.freeze([...new Set(list)]);
  if (knownWords.size < 1_000) knownWords.set(`${what} ${text}`, words);
  return words;
}

const noWords: readonly string[] = Object.freeze([]);

function refuseTwice(route: string, variables: readonly VariableToken[]): void {
  if (variables.length < 2) return;
  const seen = new Set<string>();
  for (const { name } of variables) {
    if (seen.has(name)) {
      refuse(route, `the variable "${name}" stands in its host and in its path`, {
        hint: 'Rename one of them.',
      });
    }
    seen.add(name);
  }
}

function refuse(route: string, problem: string, options: { hint: string }): never {
  throw routingErrors.create('ROUTING_BAD_DEFINITION', { route, problem, hint: options.hint });
}

function recordOf<Value>(
  given: Readonly<Record<string, Value>> | undefined,
): Readonly<Record<string, Value>> {
  return given === undefined ? nothing : record(Object.entries(given));
}

/** An object without prototype, so that every key is just a key. Routes share the empty one. */
function record<Value>(entries: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> {
  if (entries.length === 0) return nothing;
  const result = Object.create(null) as Record<string, Value>; // as: a bare object
  for (const [key, value] of entries) result[key] = value;
  return Object.freeze(result);
}

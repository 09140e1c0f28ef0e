import { createRecord } from '../pattern/bare-record.js';
import { routingErrors } from '../pattern/error-codes.js';
import { parsePath, parsePattern, type Pattern, type VariableToken } from '../pattern/parse-pattern.js';
import { ExpressionProblem } from '../pattern/parse-expression.js';
import { minTextLimit, readRequirement } from '../pattern/read-requirement.js';
import type { SharedRouteOptions, Converter, Route } from './route.js';
import {
  findRequirement,
  findTokensLimit,
  startsSegment,
  type RequiredRoute,
} from '../pattern/token-matcher.js';

/** A definition with its groups applied, and with one path for one locale. */
export interface FlatDefinition extends SharedRouteOptions {
  readonly name: string;
  readonly path: string;
  readonly pathLocale?: string | undefined;
  readonly target?: unknown;
}

/** Validates a definition and applies all defaults. @throws the coded errors of bad paths, requirements and definitions */
export function buildRoute(definition: FlatDefinition): Route {
  const { name, pathLocale } = definition;
  const path = definition.path.trim();
  const pattern = parsePath(path, name);
  const host = definition.host?.toLowerCase() === '' ? undefined : definition.host;
  const hostPattern = host === undefined ? undefined : parsePattern(host, { route: name, main: '.' });
  const variables =
    hostPattern === undefined
      ? variablesOf(pattern)
      : refuseTwice(name, [...variablesOf(hostPattern), ...variablesOf(pattern)]);
  const defaults = readDefaults(definition, variables);
  const converters = recordOf(definition.converters);
  const requirements = readRequirements(definition, variables, converters);
  refuseAmbiguous({ name, requirements }, pattern);
  if (hostPattern !== undefined) refuseAmbiguous({ name, requirements }, hostPattern, { ignoreCase: true });
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
    requirements,
    converters,
    mapping: readMapping(variables),
    condition: definition.condition,
    priority: readPriority(definition),
    stateless: definition.stateless ?? false,
    target: definition.target,
    options: recordOf(definition.options),
    variables: variables.length === 0 ? noWords : variables.map((variable) => variable.name),
    pattern,
    hostPattern,
  });
}

function variablesOf({ tokens }: Pattern): readonly VariableToken[] {
  return tokens.filter((token) => token.kind === 'variable');
}

function readMapping(variables: readonly VariableToken[]): Readonly<Record<string, string>> {
  return createRecord(variables.flatMap(({ name, field }) => (field === undefined ? [] : [[name, field]])));
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
  return createRecord(entries);
}

function readRequirements(
  definition: FlatDefinition,
  variables: readonly VariableToken[],
  converters: Readonly<Record<string, Converter>>,
): Readonly<Record<string, string>> {
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
    requirements.push(['_locale', pathLocale.replace(/[^\w]/g, '\\$&')]); // each path matches only its own locale
  }
  for (const [variable, requirement] of requirements) {
    readRequirement(requirement, { route: definition.name, variable });
  }
  return createRecord(requirements);
}

function sourceOf(requirement: string | RegExp, route: string, variable: string): string {
  if (typeof requirement === 'string') return requirement;
  if (/^[dsuvgy]*$/.test(requirement.flags)) return requirement.source;
  return refuse(route, `the requirement of "${variable}" has the flags "${requirement.flags}"`, {
    hint: 'Write both cases in the expression; a requirement has no flags.',
  });
}

function readPriority(definition: FlatDefinition): number {
  const priority = definition.priority ?? 0;
  if (Number.isFinite(priority)) return priority;
  return refuse(definition.name, 'its priority is not a number', { hint: 'Use a finite number.' });
}

function readWords(
  given: string | readonly string[] | undefined,
  route: string,
  options: { what: 'method' | 'scheme' },
): readonly string[] {
  if (given === undefined || given.length === 0) return noWords;
  const { what } = options;
  const list = (typeof given === 'string' ? given.split(/[|,\s]+/) : given).map((word) => {
    if (/^[!#$%&'*+.^_`|~\w-]+$/.test(word))
      return what === 'method' ? word.toUpperCase() : word.toLowerCase();
    return refuse(route, `"${word}" is no ${what}`, {
      hint: `Give each ${what} as one word, e.g. ["GET", "POST"].`,
    });
  });
  return Object.freeze([...new Set(list)]);
}

const noWords: readonly string[] = Object.freeze([]);

/** Throws if a variable occurs twice in host and path. */
function refuseTwice(route: string, variables: readonly VariableToken[]): readonly VariableToken[] {
  const seen = new Set<string>();
  for (const { name } of variables) {
    if (seen.has(name)) {
      refuse(route, `the variable "${name}" stands in its host and in its path`, {
        hint: 'Rename one of them.',
      });
    }
    seen.add(name);
  }
  return variables;
}

/** Refuses a path that can be matched safely only if it is short. Paths whose variables are whole segments need no check. */
function refuseAmbiguous(
  route: RequiredRoute,
  { source, tokens }: Pattern,
  options: { ignoreCase?: boolean } = {},
): void {
  const areSegments = tokens.every((token, index) => {
    if (token.kind === 'text') return true;
    const [next, read] = [tokens[index + 1], findRequirement(route, token)];
    const isBounded = read === undefined || !(read.canHoldSlash || read.canBeEmpty);
    return token.prefix === '/' && isBounded && (next === undefined || startsSegment(next));
  });
  if (areSegments) return;
  try {
    if (findTokensLimit(route, tokens, options) >= minTextLimit) return;
  } catch (error) {
    if (!(error instanceof ExpressionProblem)) throw error;
  }
  throw routingErrors.create('ROUTING_AMBIGUOUS_PATH', { route: route.name, pattern: source });
}

function refuse(route: string, problem: string, options: { hint: string }): never {
  throw routingErrors.create('ROUTING_BAD_DEFINITION', { route, problem, hint: options.hint });
}

function recordOf<Value>(
  given: Readonly<Record<string, Value>> | undefined,
): Readonly<Record<string, Value>> {
  return createRecord(Object.entries(given ?? {}));
}

import type { PatternToken, VariableToken } from '../pattern/parse-pattern.js';
import type { Route } from '../define/route.js';
import {
  createTokenMatcher,
  createValueMatcher,
  findRequirement,
  startsSegment,
  type TextMatcher,
} from '../pattern/requirement.js';

/** A step that matches the non-empty remainder of a segment. */
export const wildcard = 1;
/** A step that matches any remainder of the path; always the last step. */
export const catchAll = 2;
/** Literal text, or one of these. */
export type ShapeStep = string | typeof wildcard | typeof catchAll;

/** The conditions on a path that the trie itself does not check. */
export interface PathShape {
  /** Whether the path must end in a slash, which is not part of the steps. */
  readonly slash: boolean;
  readonly variables: readonly string[];
  /** If all variables are whole segments: the matcher of each; undefined if none has a requirement. */
  readonly tests: readonly (TextMatcher | undefined)[] | undefined;
  /** Otherwise: matches the whole path and captures the variables. */
  readonly expression: TextMatcher | undefined;
}

/**
 * Builds the shape of a route's path with only its first `count` tokens. The trie finds the shape by its `steps`;
 * `expression` or `tests` then decide.
 */
export function buildShape(
  route: Route,
  count: number,
): PathShape & { readonly steps: readonly ShapeStep[] } {
  const tokens = presentTokens(route, count);
  const variables = presentVariables(route, tokens);
  if (variables.length === 0) return buildTextShape(tokens[0]);
  const steps: ShapeStep[] = [];
  let tested = false;
  let plain = true;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    const last = steps.at(-1);
    if (token === undefined || last === catchAll) break;
    const text = token.kind === 'text' ? token.text : token.prefix;
    // Text after a variable within the same segment is checked by the expression.
    const visible =
      last === wildcard ? text.slice(text.includes('/') ? text.indexOf('/') : text.length) : text;
    if (visible !== text) plain = false;
    if (visible !== '') addText(steps, visible);
    if (token.kind === 'text') continue;
    tested ||= needsTest(route, token);
    if (isUnbounded(route, token)) steps.push(catchAll);
    else if (steps.at(-1) !== wildcard) steps.push(wildcard);
    else plain = false;
    const next = tokens[index + 1];
    plain &&= steps.at(-1) === wildcard && (next === undefined || startsSegment(next));
  }
  return {
    steps,
    slash: cutSlash(steps),
    variables,
    tests: plain && tested ? testsOf(route, tokens) : undefined,
    expression: plain ? undefined : createTokenMatcher(route, tokens),
  };
}

function buildTextShape(
  token: PatternToken | undefined,
): PathShape & { readonly steps: readonly ShapeStep[] } {
  const text = token?.kind === 'text' ? token.text : '/';
  const slash = text.endsWith('/') && text !== '/';
  return {
    steps: [slash ? text.slice(0, -1) : text],
    slash,
    variables: noVariables,
    tests: undefined,
    expression: undefined,
  };
}

const noVariables: readonly string[] = Object.freeze([]);

function presentTokens(route: Route, count: number): readonly PatternToken[] {
  const { tokens } = route.pattern;
  if (count === tokens.length) return tokens;
  return count > 0 ? tokens.slice(0, count) : [{ kind: 'text', text: '/' }]; // for example `/{page?1}` without its variable
}

/** Returns the names of the variables among the tokens. For the whole path of a route without a host, that is the route's own list. */
function presentVariables(route: Route, tokens: readonly PatternToken[]): readonly string[] {
  if (route.hostPattern === undefined && tokens === route.pattern.tokens) return route.variables;
  return tokens.flatMap((token) => (token.kind === 'variable' ? [token.name] : []));
}

function addText(steps: ShapeStep[], text: string): void {
  const last = steps.at(-1);
  if (typeof last === 'string') steps[steps.length - 1] = last + text;
  else steps.push(text);
}

/** Whether a variable may contain a slash or be empty, so that the trie cannot determine its end. */
function isUnbounded(route: Route, token: VariableToken): boolean {
  const read = findRequirement(route, token);
  return read !== undefined && (read.canBeEmpty || read.canHoldSlash);
}

function testsOf(route: Route, tokens: readonly PatternToken[]): (TextMatcher | undefined)[] {
  return tokens.flatMap((token) => {
    if (token.kind === 'text') return [];
    return [needsTest(route, token) ? createValueMatcher(route, token) : undefined];
  });
}

function needsTest(route: Route, token: VariableToken): boolean {
  return route.requirements[token.name] !== undefined || token.stops !== '/';
}

/** Removes a trailing slash from the steps, also before a `catchAll`, which may be empty. Returns whether the path ends in one. */
function cutSlash(steps: ShapeStep[]): boolean {
  const at = steps.at(-1) === catchAll ? steps.length - 2 : steps.length - 1;
  const step = steps[at];
  if (typeof step !== 'string' || !step.endsWith('/')) return false;
  if (step === '/') steps.splice(at, 1);
  else steps[at] = step.slice(0, -1);
  return true;
}

/** The requirements of a route other than path and method, and its parameters other than the variables of the path. */
export interface RouteTerms {
  /** The host in lower case; a matcher if it has variables. */
  readonly host: string | TextMatcher | undefined;
  readonly hostVariables: readonly string[];
  readonly defaults: readonly (readonly [string, unknown])[];
}

/** One possible shape of a route's path, stored in the trie. */
export interface RouteLeaf extends PathShape {
  /** Index of the route among all routes. */
  readonly order: number;
  readonly route: Route;
  /** The first method of the route; undefined if it accepts all methods. */
  readonly method: string | undefined;
  /** Whether only trailing slash and method must be checked, and the variables are the only parameters. */
  readonly quick: boolean;
  readonly terms: RouteTerms;
}

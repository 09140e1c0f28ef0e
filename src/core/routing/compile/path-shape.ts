import { leadOf, type PatternToken, type VariableToken } from '../pattern/parse-pattern.js';
import type { Route } from '../define/route.js';
import {
  createTokenMatcher,
  createValueMatcher,
  findRequirement,
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
  /** If all variables are whole segments: a matcher for each; undefined if none has a requirement. */
  readonly tests: readonly (TextMatcher | undefined)[] | undefined;
  /** Otherwise: matches the whole path and captures the variables. */
  readonly expression: TextMatcher | undefined;
}

/**
 * Builds the shape of a path's first `count` tokens: the trie finds it by its `steps`; `expression` or `tests` then
 * decide.
 */
export function buildShape(
  route: Route,
  count: number,
): PathShape & { readonly steps: readonly ShapeStep[] } {
  const tokens = presentTokens(route, count);
  const variables = tokens.flatMap((token) => (token.kind === 'variable' ? [token.name] : []));
  const steps: ShapeStep[] = [];
  let plain = true;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    const last = steps.at(-1);
    if (token === undefined || last === catchAll) break;
    const text = leadOf(token);
    // Text after a variable within the same segment is checked by the expression.
    const visible =
      last === wildcard ? text.slice(text.includes('/') ? text.indexOf('/') : text.length) : text;
    if (visible !== text) plain = false;
    if (visible !== '') addText(steps, visible);
    if (token.kind === 'text') continue;
    if (isUnbounded(route, token)) steps.push(catchAll);
    else if (steps.at(-1) !== wildcard) steps.push(wildcard);
    else plain = false;
    const next = tokens[index + 1];
    plain &&= steps.at(-1) === wildcard && (next === undefined || leadOf(next).startsWith('/'));
  }
  return {
    steps,
    slash: cutSlash(steps),
    variables,
    tests: plain ? findTests(route, tokens) : undefined,
    expression: plain ? undefined : createTokenMatcher(route, tokens),
  };
}

function presentTokens(route: Route, count: number): readonly PatternToken[] {
  const { tokens } = route.pattern;
  if (count === tokens.length) return tokens;
  return count > 0 ? tokens.slice(0, count) : [{ kind: 'text', text: '/' }]; // for example `/{page?1}` without its variable
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

function findTests(route: Route, tokens: readonly PatternToken[]): PathShape['tests'] {
  const tests = tokens
    .filter((token) => token.kind === 'variable')
    .map((token) => {
      const isTested = route.requirements[token.name] !== undefined || token.stops !== '/';
      return isTested ? createValueMatcher(route, token) : undefined;
    });
  return tests.some((test) => test !== undefined) ? tests : undefined;
}

/** Removes a trailing slash from the steps, also before a `catchAll`. Returns whether there was one; `/` has none. */
function cutSlash(steps: ShapeStep[]): boolean {
  const at = steps.at(-1) === catchAll ? steps.length - 2 : steps.length - 1;
  const step = steps[at];
  if (typeof step !== 'string' || !step.endsWith('/') || (step === '/' && steps.length === 1)) return false;
  if (step === '/') steps.splice(at, 1);
  else steps[at] = step.slice(0, -1);
  return true;
}

/** One possible shape of a route's path, stored in the trie. */
export interface RouteLeaf extends PathShape {
  /** The route's index among all routes. */
  readonly order: number;
  readonly route: Route;
  /** The route's host, with its variables; undefined if any host matches. */
  readonly host: TextMatcher | undefined;
}

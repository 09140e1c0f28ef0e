import { internText } from './intern-text.js';
import type { PatternToken, VariableToken } from './parse-pattern.js';
import type { TextMatcher } from './linear-expression.js';
import type { Route } from './route.js';
import { createTokenMatcher, createValueMatcher, findRequirement } from './token-matcher.js';

/**
 * One way in which a route's path can look: all its variables, or the last ones left out. The trie finds shapes by their
 * steps; `expression` or `tests` then decide.
 */
export interface PathShape {
  /** Literal text, `wild` for one whole non-empty rest of a segment, `rest` for anything at all (then it is the last). */
  readonly steps: readonly ({ readonly text: string } | 'wild' | 'rest')[];
  /** The path ends in a slash, which `steps` leave out. */
  readonly slash: boolean;
  readonly variables: readonly string[];
  /** Where each variable is a whole segment: what each must be. */
  readonly tests: readonly ({ test(text: string): boolean } | undefined)[] | undefined;
  /** The steps alone prove that a path has this shape. */
  readonly certain: boolean;
  /** Where not: matches the whole path and captures the variables. */
  readonly expression: TextMatcher | undefined;
}

/** The shape of a route's path when only its first `count` tokens are there. */
export function buildShape(route: Route, count: number): PathShape {
  const tokens = presentTokens(route, count);
  const variables = tokens.filter((token) => token.kind === 'variable');
  const steps: ({ text: string } | 'wild' | 'rest')[] = [];
  let plain = true;
  for (const [index, token] of tokens.entries()) {
    const last = steps.at(-1);
    if (last === 'rest') break;
    const text = token.kind === 'text' ? token.text : token.prefix;
    // What follows a variable within its segment is left to the expression.
    const visible = last === 'wild' ? text.slice(text.includes('/') ? text.indexOf('/') : text.length) : text;
    if (visible !== text) plain = false;
    if (visible !== '') steps.push({ text: visible });
    if (token.kind === 'text') continue;
    if (isUnbounded(route, token)) {
      steps.push('rest');
      plain = false;
    } else if (steps.at(-1) === 'wild') plain = false;
    else {
      steps.push('wild');
      plain &&= index === tokens.length - 1 || startsSegment(tokens[index + 1]);
    }
  }
  const slash = cutSlash(steps);
  const tests = plain && variables.some((token) => needsTest(route, token));
  return {
    steps,
    slash,
    variables: variables.map((token) => internText(token.name)),
    tests: tests
      ? variables.map((token) => (needsTest(route, token) ? createValueMatcher(route, token) : undefined))
      : undefined,
    certain: plain && !tests,
    expression: plain ? undefined : createTokenMatcher(route, tokens),
  };
}

function presentTokens(route: Route, count: number): PatternToken[] {
  const tokens = route.pattern.tokens.slice(0, count);
  if (tokens.length > 0 || route.pattern.tokens.length === 0) return tokens;
  return [{ kind: 'text', text: '/' }]; // `/{page?1}` without its variable
}

function startsSegment(token: PatternToken | undefined): boolean {
  return token !== undefined && (token.kind === 'text' ? token.text : token.prefix).startsWith('/');
}

/** True for variables that may run over a slash or be empty: the trie cannot tell where they end. */
function isUnbounded(route: Route, token: VariableToken): boolean {
  const read = findRequirement(route, token);
  return read !== undefined && (read.canBeEmpty || read.canHoldSlash);
}

function needsTest(route: Route, token: VariableToken): boolean {
  return route.requirements[token.name] !== undefined || token.stops !== '/';
}

/** Takes the slash at the end away, also the one before a rest: the rest may be empty. */
function cutSlash(steps: ({ text: string } | 'wild' | 'rest')[]): boolean {
  const at = steps.at(-1) === 'rest' ? steps.length - 2 : steps.length - 1;
  const step = steps[at];
  if (typeof step !== 'object' || !step.text.endsWith('/')) return false;
  if (steps.length === 1 && step.text === '/') return false; // the first slash is not the last one
  if (step.text === '/') steps.splice(at, 1);
  else steps[at] = { text: step.text.slice(0, -1) };
  return true;
}

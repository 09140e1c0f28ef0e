import { findAmbiguity } from './find-ambiguity.js';
import { createLinearMatcher, type MatcherPart, type TextMatcher } from './linear-expression.js';
import type { Expression } from './parse-expression.js';
import type { PatternToken, VariableToken } from './parse-pattern.js';
import { buildPositionGraph } from './position-graph.js';
import { readRequirement, type ReadRequirement } from './read-requirement.js';
import type { Route } from './route.js';

/** Longest text that is tried where variables follow each other with nothing between that could part them. */
const longest = 1024;

/** Matches some tokens of a route's path or host as a whole and captures their variables, in linear time. */
export function createTokenMatcher(
  route: Route,
  tokens: readonly PatternToken[],
  options: { ignoreCase?: boolean } = {},
): TextMatcher {
  const source = tokens.map((token) => tokenSource(route, token)).join('');
  const expression = new RegExp(`^${source}$`, options.ignoreCase === true ? 'siu' : 'su');
  if (options.ignoreCase === true) return limited(wrapped(expression));
  if (areParted(route, tokens)) return wrapped(expression);
  const parts = tokens.flatMap((token) => partsOf(route, token));
  const graph = buildPositionGraph({ kind: 'sequence', parts: parts.map((part) => part.tree) });
  if (findAmbiguity(graph) === 'none') return wrapped(expression);
  const looksAround = tokens.some(
    (token) => token.kind === 'variable' && findRequirement(route, token)?.hasAssertions,
  );
  return limited(looksAround ? wrapped(expression) : createLinearMatcher(parts));
}

/** Matches the value of one variable. */
export interface ValueMatcher {
  test(text: string): boolean;
}

export function createValueMatcher(route: Route, token: VariableToken): ValueMatcher {
  const requirement = findRequirement(route, token);
  if (requirement === undefined || requirement.ambiguity === 'none') {
    return new RegExp(`^(?:${requirementSource(route, token)})$`, 'su');
  }
  return limited(createLinearMatcher([{ tree: requirement.tree, captured: false }]));
}

/** What a variable must match when nothing is required of it: anything up to the separators around it. */
export function requirementSource(route: Route, token: VariableToken): string {
  return findRequirement(route, token)?.source ?? `${notOneOf(token.stops)}+`;
}

export function findRequirement(route: Route, token: VariableToken): ReadRequirement | undefined {
  const written = route.requirements[token.name];
  if (written === undefined) return undefined;
  return readRequirement(written, { route: route.name, variable: token.name });
}

/** Text as it stands in a regular expression. */
export function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** No requirements, and behind each variable one of the characters it stops at: there is one way only. */
function areParted(route: Route, tokens: readonly PatternToken[]): boolean {
  return tokens.every((token, index) => {
    if (token.kind === 'text') return true;
    const next = tokens[index + 1];
    const text = next === undefined ? token.stops : next.kind === 'text' ? next.text : next.prefix;
    return (
      route.requirements[token.name] === undefined && text !== '' && token.stops.includes(text.charAt(0))
    );
  });
}

function tokenSource(route: Route, token: PatternToken): string {
  if (token.kind === 'text') return escapeText(token.text);
  return `${escapeText(token.prefix)}(${requirementSource(route, token)})`;
}

function partsOf(route: Route, token: PatternToken): MatcherPart[] {
  const text = textPart(token.kind === 'text' ? token.text : token.prefix);
  if (token.kind === 'text') return [text];
  const body: Expression = { kind: 'char', source: notOneOf(token.stops) };
  const anything: Expression = { kind: 'repeat', body, min: 1, max: Infinity, lazy: false };
  return [text, { tree: findRequirement(route, token)?.tree ?? anything, captured: true }];
}

function textPart(text: string): MatcherPart {
  const parts = Array.from(text).map((char): Expression => ({ kind: 'char', source: escapeText(char) }));
  return { tree: { kind: 'sequence', parts }, captured: false };
}

function notOneOf(chars: string): string {
  return `[^${chars.replace(/[\\\]^-]/g, '\\$&')}]`;
}

function wrapped(expression: RegExp): TextMatcher {
  return {
    test: (text) => expression.test(text),
    capture: (text) => expression.exec(text)?.slice(1) ?? null,
  };
}

function limited(matcher: TextMatcher): TextMatcher {
  return {
    test: (text) => text.length <= longest && matcher.test(text),
    capture: (text) => (text.length <= longest ? matcher.capture(text) : null),
  };
}

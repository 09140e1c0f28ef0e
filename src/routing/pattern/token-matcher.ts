import { findTextLimit } from './find-text-limit.js';
import type { Expression } from './parse-expression.js';
import type { PatternToken, VariableToken } from './parse-pattern.js';
import { readRequirement, type ReadRequirement } from './read-requirement.js';

/** The part of a regular expression that matching uses. */
export interface TextMatcher {
  test(text: string): boolean;
  /** Returns the captures without the whole match; null if the text does not match. */
  capture(text: string): readonly (string | undefined)[] | null;
}

/** The part of a route on which matching its tokens depends. */
export interface RequiredRoute {
  readonly name: string;
  readonly requirements: Readonly<Record<string, string>>;
}

interface MatcherOptions {
  readonly ignoreCase?: boolean;
  readonly maxSteps?: number;
}

/** Creates a matcher for a sequence of tokens of a route's path or host, which captures their variables. */
export function createTokenMatcher(
  route: RequiredRoute,
  tokens: readonly PatternToken[],
  options: MatcherOptions = {},
): TextMatcher {
  const parts = tokens.map((token, index) => {
    if (token.kind === 'text') return escapeText(token.text);
    const value = isSingle(route, tokens, index) ? notOneOf(token.stops) : requirementSource(route, token);
    return `${escapeText(token.prefix)}(${value})`;
  });
  const form = new RegExp(`^${parts.join('')}$`, options.ignoreCase === true ? 'siu' : 'su');
  const limit = findTokensLimit(route, tokens, options);
  return {
    test: (text) => text.length <= limit && form.test(text),
    capture: (text) => (text.length <= limit ? (form.exec(text)?.slice(1) ?? null) : null),
  };
}

/** Returns the length of the longest text to match: Infinity, unless variables can divide a text in many ways. */
export function findTokensLimit(
  route: RequiredRoute,
  tokens: readonly PatternToken[],
  options: MatcherOptions = {},
): number {
  if (tokens.every((token, index) => token.kind === 'text' || isParted(route, tokens, index)))
    return Infinity;
  const parts = tokens.flatMap((token, index): Expression[] => {
    const text = Array.from(token.kind === 'text' ? token.text : token.prefix);
    const chars = text.map((char): Expression => ({ kind: 'char', source: escapeText(char) }));
    if (token.kind === 'text') return chars;
    const body: Expression = { kind: 'char', source: notOneOf(token.stops) };
    const anything: Expression = isSingle(route, tokens, index)
      ? body
      : { kind: 'repeat', body, min: 1, max: Infinity, lazy: false };
    return [...chars, findRequirement(route, token)?.tree ?? anything];
  });
  return findTextLimit({ kind: 'sequence', parts }, options);
}

/** Matches the value of one variable. */
export interface ValueMatcher {
  test(text: string): boolean;
}

export function createValueMatcher(route: RequiredRoute, token: VariableToken): ValueMatcher {
  const form = new RegExp(`^(?:${requirementSource(route, token)})$`, 'su');
  const limit = findRequirement(route, token)?.textLimit ?? Infinity;
  return limit === Infinity ? form : { test: (text) => text.length <= limit && form.test(text) };
}

/** Returns the requirement of a variable. Without one, it is anything up to the variable's stop characters. */
export function requirementSource(route: RequiredRoute, token: VariableToken): string {
  return findRequirement(route, token)?.source ?? `${notOneOf(token.stops)}+`;
}

export function findRequirement(route: RequiredRoute, token: VariableToken): ReadRequirement | undefined {
  const written = route.requirements[token.name];
  if (written === undefined) return undefined;
  return readRequirement(written, { route: route.name, variable: token.name });
}

/** Escapes text for a regular expression. */
function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

export function startsSegment(token: PatternToken): boolean {
  return (token.kind === 'text' ? token.text : token.prefix).startsWith('/');
}

/** Whether a variable has no requirement and is followed by one of its stop characters, so that there is only one way to match it. */
function isParted(route: RequiredRoute, tokens: readonly PatternToken[], index: number): boolean {
  const [token, next] = [tokens[index], tokens[index + 1]];
  if (token?.kind !== 'variable' || route.requirements[token.name] !== undefined) return false;
  const text = next === undefined ? token.stops : next.kind === 'text' ? next.text : next.prefix;
  return text !== '' && token.stops.includes(text.charAt(0));
}

/** Whether it follows another variable directly, both without requirements: then the first takes all but one character for each other. */
function isSingle(route: RequiredRoute, tokens: readonly PatternToken[], index: number): boolean {
  const [before, token] = [tokens[index - 1], tokens[index]];
  if (before?.kind !== 'variable' || token?.kind !== 'variable' || token.prefix !== '') return false;
  return route.requirements[before.name] === undefined && route.requirements[token.name] === undefined;
}

function notOneOf(chars: string): string {
  return `[^${chars.replace(/[\\\]^-]/g, '\\$&')}]`;
}

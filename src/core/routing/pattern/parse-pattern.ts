import { safely } from '#core/coded-error';
import { routingErrors } from './error-codes.js';

/** Separators between variables: a variable without a requirement stops at the separator that follows it. */
const separators = '/,;.:-_~+*=@|';

interface TextToken {
  readonly kind: 'text';
  readonly text: string;
}

/** A variable with its preceding separator, which is omitted together with it. */
export interface VariableToken {
  readonly kind: 'variable';
  readonly prefix: string;
  readonly name: string;
  /** Inline requirement `<…>`, as written. */
  readonly requirement: string | undefined;
  /** Characters that end the variable if it has no requirement. */
  readonly stops: string;
  /** Inline default; null for `{name?}`. */
  readonly default: string | null | undefined;
  /** True for `{!name}`: the variable is never omitted. */
  readonly always: boolean;
}

export type PatternToken = TextToken | VariableToken;

export interface Pattern {
  readonly source: string;
  readonly tokens: readonly PatternToken[];
}

interface PatternOptions {
  readonly route: string;
  readonly main: '/' | '.';
}

/** Parses a path or a host. `main` is the separator that ends variables by default: `/` in paths, `.` in hosts. */
export function parsePattern(source: string, options: PatternOptions): Pattern {
  const tokens = splitPattern(source, options);
  return {
    source,
    tokens: tokens.map((token, index) =>
      token.kind === 'text' ? token : { ...token, stops: stopsOf(tokens.slice(index + 1), token.stops) },
    ),
  };
}

/**
 * Parses a route's path, which begins with one slash.
 * @throws ROUTING_BAD_PATTERN also for `/a/:id`, which is a variable in other routers but would be literal text here,
 * and for percent-encoded text
 */
export function parsePath(source: string, route: string): Pattern {
  const options: PatternOptions = { route, main: '/' };
  if (!source.startsWith('/') || source.startsWith('//')) {
    const slashes = /^\/*/.exec(source)?.[0].length ?? 0;
    const problem = slashes === 0 ? 'it does not start with a slash' : 'it starts with more than one slash';
    const hint = `Write "/${source.slice(slashes)}".`;
    fail(problem, { source, at: 0, length: Math.max(1, slashes) }, { ...options, hint });
  }
  const pattern = parsePattern(source, options);
  for (const token of pattern.tokens) {
    refuseEncoded(token, source, options);
    const [text, name] = (token.kind === 'text' && /\/:([A-Za-z_]\w*)/.exec(token.text)) || [];
    if (text === undefined || name === undefined) continue;
    const problem = `":${name}" is not a variable in this syntax`;
    const hint = `Write "{${name}}" for a variable. For the literal text, write "{${name}<:${name}>}".`;
    const place = { source, at: source.indexOf(text) + 1, length: text.length - 1 };
    fail(problem, place, { ...options, hint });
  }
  return pattern;
}

/** Refuses percent-encoded text: it would never match, because paths are decoded before they are compared. */
function refuseEncoded(token: PatternToken, source: string, options: PatternOptions): void {
  const [encoded] = (token.kind === 'text' && /(?:%[0-9A-Fa-f]{2})+/.exec(token.text)) || [];
  if (encoded === undefined) return;
  const decoded = safely(() => decodeURIComponent(encoded), undefined);
  if (decoded === undefined || decoded.includes('%')) return;
  const problem = `"${encoded}" never matches, because paths are decoded first`;
  const place = { source, at: source.indexOf(encoded), length: encoded.length };
  fail(problem, place, { ...options, hint: `Write "${decoded}".` });
}

/** Returns the number of required tokens: trailing variables with a default may be omitted. */
export function countRequired(
  tokens: readonly PatternToken[],
  defaults: Readonly<Record<string, unknown>>,
): number {
  let count = tokens.length;
  while (count > 0) {
    const token = tokens[count - 1];
    if (token?.kind !== 'variable' || token.always || !Object.hasOwn(defaults, token.name)) break;
    count -= 1;
  }
  return count;
}

/** Underlines part of a text for an error message: returns the text with a line of `^` below it. */
export function underline(source: string, at: number, length: number): string {
  return `  ${source}\n  ${' '.repeat(at)}${'^'.repeat(Math.max(1, length))}`;
}

export function leadOf(token: PatternToken): string {
  return token.kind === 'text' ? token.text : token.prefix;
}

/**
 * Returns the stop characters: the main separator, and the first character of the following text if it is another
 * separator.
 */
function stopsOf(following: readonly PatternToken[], main: string): string {
  const first = following.map(leadOf).join('').charAt(0);
  return first !== '' && separators.includes(first) && first !== main ? main + first : main;
}

/** Splits a pattern into texts and variables. A separator before a variable becomes part of it. */
function splitPattern(source: string, options: PatternOptions): PatternToken[] {
  const tokens: PatternToken[] = [];
  const names = new Set<string>();
  let at = 0;
  while (at < source.length) {
    const open = source.indexOf('{', at);
    const end = open === -1 ? source.length : open;
    const stray = source.indexOf('}', at);
    if (stray !== -1 && stray < end)
      fail('a "}" has no matching "{"', { source, at: stray, length: 1 }, options);
    const cut = open > at && separators.includes(source.charAt(open - 1)) ? open - 1 : end;
    if (cut > at) tokens.push({ kind: 'text', text: source.slice(at, cut) });
    if (open === -1) break;
    const { length, ...variable } = readVariable(source, open, options);
    const { name, always } = variable;
    if (names.has(name)) {
      const place = { source, at: open + (always ? 2 : 1), length: name.length };
      fail('the variable appears twice', place, options);
    }
    names.add(name);
    tokens.push({ ...variable, prefix: source.slice(cut, open) });
    at = open + length;
  }
  return tokens;
}

/**
 * Captures `!`, name, field, requirement (up to the first `>` that ends the variable or precedes its default), and
 * default.
 */
const variableForm = /\{(!?)([^{}<>?:!]*)(?:<((?:[^>]|>(?!\}|\?[^{}]*\}))*)>)?(?:\?([^{}]*))?\}/uy;

/**
 * Reads the variable whose brace opens at a position, with the length of its text. Its prefix and stops are not known
 * yet.
 */
function readVariable(
  source: string,
  open: number,
  options: PatternOptions,
): VariableToken & { readonly length: number } {
  variableForm.lastIndex = open;
  const found = variableForm.exec(source);
  if (found === null) {
    const next = source.indexOf('}', open);
    const end = next === -1 ? source.length : next + 1;
    const problem = next === -1 ? 'a "{" is never closed' : 'this is not a valid variable';
    return fail(problem, { source, at: open, length: end - open }, options);
  }
  const [whole, bang = '', name = '', requirement, fallback] = found;
  const at = open + 1 + bang.length;
  const problem = nameProblem(name);
  if (problem !== undefined) fail(problem, { source, at, length: name.length }, options);
  if (requirement === '')
    fail('the requirement is empty', { source, at: source.indexOf('<', at), length: 2 }, options);
  return {
    kind: 'variable',
    prefix: '',
    name,
    requirement,
    stops: options.main,
    default: fallback === undefined ? undefined : fallback || null,
    always: bang !== '',
    length: whole.length,
  };
}

function nameProblem(name: string): string | undefined {
  if (/^\p{N}/u.test(name)) return 'a variable name starts with a digit';
  if (!/^[\p{L}\p{N}_]{1,32}$/u.test(name))
    return 'a variable name is not 1 to 32 letters, digits and underscores';
  if (name === '_fragment') return '"_fragment" is reserved for the fragment of generated URLs';
  return undefined;
}

const standardHint = 'Correct the underlined part; docs/reference/routing.md lists every form of variable.';

function fail(
  problem: string,
  { source, at, length }: { readonly source: string; readonly at: number; readonly length: number },
  options: PatternOptions & { readonly hint?: string },
): never {
  throw routingErrors.create('ROUTING_BAD_PATTERN', {
    what: options.main === '/' ? 'path' : 'host',
    route: options.route,
    problem,
    underlined: underline(source, at, length),
    hint: options.hint ?? standardHint,
  });
}

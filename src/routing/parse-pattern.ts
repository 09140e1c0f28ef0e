import { routingErrors } from './error-codes.js';
import { internText } from './intern-text.js';

/** Characters that part two variables: a variable without requirement does not run over the one that follows it. */
const separators = '/,;.:-_~+*=@|';

/** Text that stands in the path as it is. */
export interface TextToken {
  readonly kind: 'text';
  readonly text: string;
}

/** A variable with the one separator before it, which is left out together with it. */
export interface VariableToken {
  readonly kind: 'variable';
  readonly prefix: string;
  readonly name: string;
  /** Inline requirement `<…>`, as written. */
  readonly requirement: string | undefined;
  /** Characters that the variable stops at when it has no requirement. */
  readonly stops: string;
  /** Inline default; `{name?}` gives null. */
  readonly default: string | null | undefined;
  /** `{!name}`: never left out. */
  readonly always: boolean;
  readonly field: string | undefined;
  /** Where in the source its name, and its requirement, begin. */
  readonly at: number;
  readonly requirementAt: number;
}

export type PatternToken = TextToken | VariableToken;

/** A path or host, read. */
export interface Pattern {
  readonly source: string;
  readonly tokens: readonly PatternToken[];
}

type RawVariable = Omit<VariableToken, 'prefix' | 'stops' | 'kind'>;

/** Reads a path or a host. `main` is the separator that no plain variable runs over: `/` in paths, `.` in hosts. */
export function parsePattern(source: string, options: { route: string; main: '/' | '.' }): Pattern {
  const raw = splitPattern(source, options);
  const tokens: PatternToken[] = [];
  const seen = new Set<string>();
  raw.forEach((part, index) => {
    if (typeof part === 'string') {
      const text = typeof raw[index + 1] === 'object' ? withoutSeparator(part) : part;
      if (text !== '') tokens.push({ kind: 'text', text });
      return;
    }
    if (seen.has(part.name)) {
      fail('the variable stands in it twice', part.at, part.name.length, source, options);
    }
    seen.add(part.name);
    const before = raw[index - 1];
    const prefix = typeof before === 'string' ? before.slice(withoutSeparator(before).length) : '';
    tokens.push({ kind: 'variable', prefix, stops: stopsOf(raw, index, options.main), ...part });
  });
  return { source, tokens };
}

/** How many tokens must be there: the trailing run of variables with a default may be left out. */
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

/** Points at a part of a text, for error messages: the text and a line of `^` below it. */
export function underline(source: string, at: number, length: number): string {
  return `  ${source}\n  ${' '.repeat(at)}${'^'.repeat(Math.max(1, length))}`;
}

function withoutSeparator(text: string): string {
  return separators.includes(text.slice(-1)) ? text.slice(0, -1) : text;
}

function stopsOf(raw: readonly (string | RawVariable)[], index: number, main: string): string {
  const next = raw.slice(index + 1).find((part) => typeof part === 'string');
  const first = next?.[0] ?? main;
  return separators.includes(first) && first !== main ? main + first : main;
}

function splitPattern(source: string, options: { route: string; main: string }): (string | RawVariable)[] {
  const parts: (string | RawVariable)[] = [];
  let at = 0;
  while (at < source.length) {
    const open = source.indexOf('{', at);
    const text = source.slice(at, open === -1 ? undefined : open);
    const stray = text.indexOf('}');
    if (stray !== -1) fail('a "}" closes nothing', at + stray, 1, source, options);
    if (text !== '') parts.push(text);
    if (open === -1) break;
    const { variable, end } = readVariable(source, open, options);
    parts.push(variable);
    at = end;
  }
  return parts;
}

/** `!`, name, field, requirement (to the first `>` that ends the variable or precedes its default), default. */
const variableForm =
  /\{(!?)([^{}<>?:!]*)(?::([\p{L}\p{N}_.]+))?(?:<((?:[^>]|>(?!\}|\?[^{}]*\}))*)>)?(?:\?([^{}]*))?\}/uy;

function readVariable(
  source: string,
  open: number,
  options: { route: string; main: string },
): { variable: RawVariable; end: number } {
  variableForm.lastIndex = open;
  const found = variableForm.exec(source);
  if (found === null) {
    const next = source.indexOf('}', open);
    const end = next === -1 ? source.length : next + 1;
    return fail(
      next === -1 ? 'a "{" is never closed' : 'this is no variable',
      open,
      end - open,
      source,
      options,
    );
  }
  const [whole, bang = '', name = '', field, requirement, fallback] = found;
  const at = open + 1 + bang.length;
  const problem = nameProblem(name);
  if (problem !== undefined) fail(problem, at, name.length, source, options);
  const requirementAt = requirement === undefined ? at : source.indexOf('<', at) + 1;
  if (requirement === '') fail('the requirement is empty', requirementAt - 1, 2, source, options);
  const variable = {
    name: internText(name),
    field,
    requirement,
    default: fallback === undefined ? undefined : fallback || null,
    always: bang !== '',
    at,
    requirementAt,
  };
  return { variable, end: open + whole.length };
}

function nameProblem(name: string): string | undefined {
  if (name === '') return 'a variable has no name';
  if (/^\p{N}/u.test(name)) return 'a variable name starts with a digit';
  if (!/^[\p{L}\p{N}_]+$/u.test(name))
    return 'a variable name holds more than letters, digits and underscores';
  if (name.length > 32) return 'a variable name is longer than 32 characters';
  if (name === '_fragment') return '"_fragment" is the fragment of generated URLs and cannot be a variable';
  return undefined;
}

function fail(
  problem: string,
  at: number,
  length: number,
  source: string,
  options: { route: string; main: string },
): never {
  throw routingErrors.create('ROUTING_BAD_PATTERN', {
    what: options.main === '/' ? 'path' : 'host',
    route: options.route,
    problem,
    underlined: underline(source, at, length),
  });
}

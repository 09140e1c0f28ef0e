import { routingErrors } from './error-codes.js';
import { underline, type PatternToken, type VariableToken } from './parse-pattern.js';

/** Predefined requirements, used as `requirements: { id: Requirement.uuid }`. Each takes linear time and matches whole values. */
export const Requirement: Readonly<
  Record<'digits' | 'positiveInt' | 'asciiSlug' | 'slug' | 'catchAll' | 'dateYmd' | 'uuid' | 'ulid', string>
> = {
  digits: '[0-9]+',
  positiveInt: '[1-9][0-9]*',
  asciiSlug: '[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*',
  slug: '[\\p{L}\\p{N}]+(?:-[\\p{L}\\p{N}]+)*',
  catchAll: '.+',
  dateYmd: '[0-9]{4}-(?:0[1-9]|1[012])-(?:0[1-9]|[12][0-9]|3[01])',
  uuid: '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[13-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}',
  ulid: '[0-7][0-9A-HJKMNP-TV-Z]{25}',
};

/** A requirement that can be embedded in a larger expression. */
interface ReadRequirement {
  /** JavaScript source for the flags `su`: no anchors around it, no captures. */
  readonly source: string;
  readonly canBeEmpty: boolean;
  /** Whether a value may contain a slash; also true for some expressions whose values never do. */
  readonly canHoldSlash: boolean;
}

const cachedRequirements = new Map<string, ReadRequirement>(); // keyed by source text

/** Reads one variable's requirement. @throws ROUTING_BAD_REQUIREMENT with the reason */
export function readRequirement(
  written: string,
  place: { readonly route: string; readonly variable: string },
): ReadRequirement {
  const earlier = cachedRequirements.get(written);
  if (earlier !== undefined) return earlier;
  const source = withoutCaptures(withoutAnchors(written));
  const problem = findProblem(source);
  if (problem !== undefined) {
    const underlined = underline(written, 0, written.length);
    throw routingErrors.create('ROUTING_BAD_REQUIREMENT', { ...place, problem, underlined });
  }
  const read: ReadRequirement = {
    source,
    canBeEmpty: new RegExp(`^(?:${source})$`, 'su').test(''),
    canHoldSlash: [...source.matchAll(part)].some(([text]) => takesSlash(text)),
  };
  if (cachedRequirements.size < 10_000) cachedRequirements.set(written, read);
  return read;
}

/** A part of an expression that represents one character (an escape, a class, a character), or opens a group. */
const part =
  /\\(?:[pPu]\{[^}]*\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|k<[^>]*>|.)|\[(?:[^\]\\]|\\.)*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]+:))?|./gsu;

function withoutAnchors(written: string): string {
  const start = /^(?:\^|\\A)/.exec(written)?.[0].length ?? 0;
  const end = /(?<!\\)(?:\\\\)*(\$|\\z|\\Z)$/.exec(written.slice(start))?.[1]?.length ?? 0;
  return written.slice(start, written.length - end);
}

/** Removes captures, which would shift the variables' captures, and escapes that only other languages allow. */
function withoutCaptures(source: string): string {
  return source.replace(part, (text) => {
    if (/^\($|^\(\?<[^=!]/.test(text)) return '(?:';
    return /^\\[^\w\\^$.*+?()[\]{}|/]$/u.test(text) ? text.slice(1) : text;
  });
}

function findProblem(source: string): string | undefined {
  if (source === '') return 'is empty';
  for (const [text] of source.matchAll(part)) {
    if (/^\\[1-9k]/.test(text)) return 'has a backreference, but its groups do not capture';
    if (/^\(\?<[=!]/.test(text)) return 'has a lookbehind, which would see other parts of the path';
    if (/^\(\?[^:=!<]/.test(text)) return 'sets flags inside the expression';
  }
  try {
    RegExp(source, 'su');
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: (?=[^:]*$)/s, '') : 'malformed';
    return `is not a valid regular expression (${reason})`;
  }
}

function takesSlash(text: string): boolean {
  return !/^[(){}|*+?]/.test(text) && new RegExp(`^${text}$`, 'su').test('/');
}

/**
 * Longest text that an expression with several repetitions is tried on: a backtracking engine may have to try every way
 * to divide the text among them. Expressions with at most one repetition accept any text.
 */
export const maxRepeatedLength = 512;

/** The part of a regular expression that matching uses. */
export interface TextMatcher {
  readonly form: RegExp;
  test(text: string): boolean;
  /** Returns the captures without the whole match; null if the text does not match. */
  capture(text: string): readonly (string | undefined)[] | null;
}

/** The part of a route that affects matching its tokens. */
interface RequiredRoute {
  readonly name: string;
  readonly requirements: Readonly<Record<string, string>>;
}

/** Creates a matcher for a sequence of tokens in a route's path or host, which captures their variables. */
export function createTokenMatcher(
  route: RequiredRoute,
  tokens: readonly PatternToken[],
  flags: 'su' | 'siu' = 'su',
): TextMatcher {
  const parts = tokens.map((token) =>
    token.kind === 'text'
      ? escapeText(token.text)
      : `${escapeText(token.prefix)}(${requirementSource(route, token)})`,
  );
  return createMatcher(parts.join(''), flags);
}

export function createValueMatcher(route: RequiredRoute, token: VariableToken): TextMatcher {
  return createMatcher(requirementSource(route, token), 'su');
}

function createMatcher(source: string, flags: string): TextMatcher {
  const form = new RegExp(`^(?:${source})$`, flags);
  const repetitions = source.match(/\\.|\[(?:[^\]\\]|\\.)*\]|[*+]|\{\d+,\d*\}/gsu) ?? [];
  const isRepeated = repetitions.filter((text) => /^[*+{]/.test(text)).length > 1;
  const limit = isRepeated ? maxRepeatedLength : Infinity;
  return {
    form,
    test: (text) => text.length <= limit && form.test(text),
    capture: (text) => (text.length <= limit ? (form.exec(text)?.slice(1) ?? null) : null),
  };
}

/** Returns a variable's requirement. Without one, it is any text up to the variable's stop characters. */
export function requirementSource(route: RequiredRoute, token: VariableToken): string {
  return findRequirement(route, token)?.source ?? `[^${token.stops.replace(/[\\\]^-]/g, '\\$&')}]+`;
}

export function findRequirement(route: RequiredRoute, token: VariableToken): ReadRequirement | undefined {
  const written = route.requirements[token.name];
  if (written === undefined) return undefined;
  return readRequirement(written, { route: route.name, variable: token.name });
}

function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

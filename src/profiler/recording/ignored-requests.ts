import { callable, either, listOf, type OptionType, optionType } from '#core/options';
import type { HttpRequest } from '#core/http';

/** What a function that ignores requests can read when a request begins. */
export type BegunRequest = Pick<HttpRequest, 'method' | 'path' | 'headers'>;

/**
 * Requests to ignore: paths (`/healthz`), with `*` for any characters (`/assets/*`), behind a method (`GET /metrics`, which
 * includes HEAD) or several (`GET|POST /ping`); or a function that returns true.
 */
export type IgnoreRule = string | ((request: BegunRequest) => boolean);

const ruleForm = /^(?:([A-Z][A-Z-]*(?:\|[A-Z][A-Z-]*)*) +)?([/*]\S*)$/;

/** A path in words of `PROFILER_IGNORE`. */
export const ignoredPath: OptionType<string> = optionType(
  'a path such as "/healthz", "/assets/*" or "GET /metrics"',
  (value) => typeof value === 'string' && value.length <= 1000 && ruleForm.test(value),
);

/** The type of the option `ignore`. */
export const ignoreRules: OptionType<readonly IgnoreRule[]> = listOf<IgnoreRule>(
  either(ignoredPath, callable<Exclude<IgnoreRule, string>>()),
);

type Test = (method: string, path: string) => boolean;

/**
 * Returns what tells whether a request is ignored; undefined if none is. What a function throws goes to `failed`, and the
 * request is recorded.
 */
export function createIgnore(
  rules: readonly IgnoreRule[],
  failed: (error: unknown) => void,
): ((request: HttpRequest) => boolean) | undefined {
  if (rules.length === 0) return undefined;
  const exact = new Set<string>();
  const tests: Test[] = [];
  const functions: Exclude<IgnoreRule, string>[] = [];
  for (const rule of rules) {
    if (typeof rule === 'function') {
      functions.push(rule);
      continue;
    }
    const [, methods, pattern = ''] = ruleForm.exec(rule) ?? [];
    if (methods === undefined && !pattern.includes('*')) exact.add(pattern);
    else tests.push(testOf(methods, pattern));
  }
  const asks = (request: HttpRequest): boolean => {
    try {
      // A promise is true as well: it would ignore everything.
      return functions.some((isIgnored) => (isIgnored(request) as unknown) === true); // as: what it really returns
    } catch (error) {
      failed(error);
      return false;
    }
  };
  return (request) => {
    const { method, rawPath } = request;
    return exact.has(rawPath) || tests.some((test) => test(method, rawPath)) || asks(request);
  };
}

function testOf(methods: string | undefined, pattern: string): Test {
  const named = methods?.split('|');
  const allowed = named && new Set(named.includes('GET') ? [...named, 'HEAD'] : named);
  const parts = pattern.split('*');
  return (method, path) => (allowed === undefined || allowed.has(method)) && hasParts(path, parts);
}

/** Whether a path is made of these parts in this order, with any characters between them. Linear. */
function hasParts(path: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return path === first;
  if (path.length < first.length + last.length || !path.startsWith(first) || !path.endsWith(last))
    return false;
  let from = first.length;
  for (const part of rest) {
    const at = path.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from <= path.length - last.length;
}

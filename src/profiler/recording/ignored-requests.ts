import { callable, either, listOf, type OptionType, optionType } from '#core/options';
import type { HttpRequest } from '#core/http';
import { refusePromise } from '../sections/refuse-promise.js';

/** The request properties available to an ignore function. */
export type BegunRequest = Pick<HttpRequest, 'method' | 'path' | 'headers'>;

/**
 * Requests to ignore. A string is a path (`/healthz`), where `*` matches any characters (`/assets/*`),
 * optionally preceded by a method (`GET /metrics`, which includes HEAD) or several (`GET|POST /ping`). A
 * function returns true to ignore a request.
 */
export type IgnoreRule = string | ((request: BegunRequest) => boolean);

const ruleForm = /^(?:([A-Z][A-Z-]*(?:\|[A-Z][A-Z-]*)*) +)?([/*]\S*)$/;

/** A path in `PROFILER_IGNORE`. */
export const ignoredPath: OptionType<string> = optionType(
  'a path such as "/healthz", "/assets/*" or "GET /metrics"',
  (value) => typeof value === 'string' && value.length <= 1000 && ruleForm.test(value),
);

/** Type of the `ignore` option. */
export const ignoreRules: OptionType<readonly IgnoreRule[]> = listOf<IgnoreRule>(
  either(ignoredPath, callable<Exclude<IgnoreRule, string>>()),
);

type Test = (method: string, path: string) => boolean;

/**
 * Returns a predicate for ignored requests; undefined if there are no rules. Errors thrown by a rule go to
 * `failed`, and the request is recorded.
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
      // Compared with `true`, because other results are mistakes: a promise would ignore every request.
      const isTrue = (answer: unknown): boolean => refusePromise(answer, 'A function in "ignore"') === true;
      return functions.some((isIgnored) => isTrue(isIgnored(request)));
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

/**
 * Returns whether a path consists of these parts in this order, with any characters between them. Runs in
 * linear time.
 */
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

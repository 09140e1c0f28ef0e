import type { HttpRequest } from '#http';

/** Creates a test for requests to one of the paths or below it. Without paths, it accepts every request. */
export function createPathMatcher(paths: readonly string[] | undefined): (request: HttpRequest) => boolean {
  if (paths === undefined) return () => true;
  const prefixes = paths.map((path) => (path.endsWith('/') ? path.slice(0, -1) : path));
  return ({ path }) => prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

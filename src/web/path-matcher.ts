import type { HttpRequest } from '#http';

/** Whether a request is for one of the paths or something below it; without paths every request is. */
export function createPathMatcher(paths: readonly string[] | undefined): (request: HttpRequest) => boolean {
  if (paths === undefined) return () => true;
  const prefixes = paths.map((path) => (path.endsWith('/') ? path.slice(0, -1) : path));
  return ({ path }) => prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

import { safely } from '#core/coded-error';

const maxLength = 200;
const form = /^(?:\/(?:[\w~@+=:.-]|%[0-9A-Fa-f]{2})+)*\/?$/;

/**
 * Parses the path below which an application is served: `/app`, `/tools/app/`; `/` and the empty string mean none.
 * Returns it without a trailing slash, or undefined if it is malformed. The result cannot lead to another host: its
 * segments are neither empty nor `.` nor `..`, and contain no slash, backslash, control character, comma or semicolon,
 * encoded or not.
 */
export function parseBasePath(text: string): string | undefined {
  if (text.length > maxLength || !form.test(text)) return undefined;
  const path = text.replace(/\/$/, '');
  const segments = path.split('/').slice(1);
  const decoded = segments.map((segment) => safely(() => decodeURIComponent(segment), '..'));
  return decoded.some((segment) => /^\.\.?$|[\p{Cc}/\\,;]/u.test(segment)) ? undefined : path;
}

/**
 * Removes a base path from the start of a still encoded path; both are compared decoded, segment by segment. Returns
 * the rest, which is empty for the base path itself, or undefined if the path is not below it.
 */
export function withoutBasePath(rawPath: string, basePath: string): string | undefined {
  let end = 0;
  for (const _ of basePath.split('/').slice(1)) {
    end = rawPath.indexOf('/', end + 1);
    if (end === -1) end = rawPath.length;
  }
  const head = rawPath.slice(0, end);
  if (head !== basePath) {
    const decode = (text: string): readonly string[] =>
      text.split('/').map((segment) => safely(() => decodeURIComponent(segment), segment));
    const [left, right] = [decode(head), decode(basePath)];
    if (left.length !== right.length || left.some((segment, at) => segment !== right[at])) return undefined;
  }
  return rawPath.slice(end);
}

import { routingErrors } from '../pattern/error-codes.js';

/**
 * Decodes the path of a request once: every `%XX` (so `%2F` becomes a slash); `+` remains a plus. Router and firewall use
 * only this result. The path must not include query and fragment. An empty path becomes `/`.
 * @throws ROUTING_MALFORMED_PATH for a malformed percent-encoding, invalid UTF-8, or NUL.
 */
export function decodePath(rawPath: string): string {
  if (rawPath === '') return '/';
  const path = rawPath.includes('%') ? decodePercent(rawPath) : rawPath;
  if (path.includes('\0')) throw malformed('it holds a NUL character');
  return path;
}

function decodePercent(rawPath: string): string {
  try {
    return decodeURIComponent(rawPath);
  } catch (cause) {
    const broken = /%(?![0-9A-Fa-f]{2})/.exec(rawPath);
    if (broken === null) throw malformed('its octets are no valid UTF-8', cause);
    throw malformed(`a "%" at position ${broken.index} is not followed by two hexadecimal digits`, cause);
  }
}

function malformed(problem: string, cause?: unknown): Error {
  return routingErrors.create('ROUTING_MALFORMED_PATH', { problem }, { cause });
}

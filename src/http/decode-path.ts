/** Percent-decodes a path once. Throws a URIError where it is malformed. */
export function decodePath(rawPath: string): string {
  return rawPath.includes('%') ? decodeURIComponent(rawPath) : rawPath;
}

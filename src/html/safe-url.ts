const safeSchemes = new Set(['http:', 'https:', 'mailto:']);

/**
 * Returns a URL that is safe in `href`, `src` or `action`: one that is relative or has a harmless scheme (http, https,
 * mailto and those in `alsoAllowed`, e.g. `vscode:`). Any other URL becomes `#refused`, a link to nowhere.
 */
export function safeUrl(url: string, alsoAllowed: readonly string[] = []): string {
  // Browsers drop leading control characters and spaces, and tabs and line breaks anywhere.
  // oxlint-disable-next-line no-control-regex -- the pattern searches for control characters
  const seen = url.replaceAll(/[\0-\x1f\x7f]/g, '').trimStart();
  const colon = seen.search(/[:/?#]/);
  if (colon === -1 || seen[colon] !== ':') return seen;
  const scheme = seen.slice(0, colon + 1).toLowerCase();
  return safeSchemes.has(scheme) || alsoAllowed.includes(scheme) ? seen : '#refused';
}

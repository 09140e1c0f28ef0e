const safeSchemes = new Set(['http:', 'https:', 'mailto:']);

/**
 * A URL that is safe in `href`, `src` or `action`: relative, or with a scheme that runs nothing (http, https, mailto
 * and those in `alsoAllowed`, e.g. `vscode:`). Anything else becomes `#refused`, a link to nowhere.
 */
export function safeUrl(url: string, alsoAllowed: readonly string[] = []): string {
  // Browsers drop leading control characters and spaces, and tabs and line breaks anywhere.
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  const seen = url.replaceAll(/[\0-\x1f\x7f]/g, '').trimStart();
  const colon = seen.search(/[:/?#]/);
  if (colon === -1 || seen[colon] !== ':') return seen;
  const scheme = seen.slice(0, colon + 1).toLowerCase();
  return safeSchemes.has(scheme) || alsoAllowed.includes(scheme) ? seen : '#refused';
}

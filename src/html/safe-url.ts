const safeSchemes = new Set(['http:', 'https:', 'mailto:']);

/**
 * A URL that is safe in `href`, `src` or `action`: relative, or with a scheme that runs nothing (http, https, mailto
 * and those in `alsoAllowed`, e.g. `vscode:`). Anything else becomes `#refused`, a link to nowhere.
 */
export function safeUrl(url: string, alsoAllowed: readonly string[] = []): string {
  // Browsers drop leading control characters and spaces, and tabs and line breaks anywhere.
  const seen = withoutControls(url).trimStart();
  const colon = seen.search(/[:/?#]/);
  if (colon === -1 || seen[colon] !== ':') return seen;
  const scheme = seen.slice(0, colon + 1).toLowerCase();
  return safeSchemes.has(scheme) || alsoAllowed.includes(scheme) ? seen : '#refused';
}

function withoutControls(text: string): string {
  let out = '';
  for (const character of text) {
    const code = character.charCodeAt(0);
    if (code > 31 && code !== 127) out += character;
  }
  return out;
}

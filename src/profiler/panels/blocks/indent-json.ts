const maxDepth = 24;

/**
 * JSON on one line as lines with indentation; text that has lines of its own, or is no object or list, stays as it is.
 * The text is not parsed: numbers, repeated names and a missing end are shown as they were sent.
 */
export function indentJson(text: string): string {
  if (!/^\s*[[{]/.test(text) || text.trim().includes('\n')) return text;
  let depth = 0;
  const line = (): string => `\n${'  '.repeat(Math.min(depth, maxDepth))}`;
  const tokens = text.match(/"(?:[^"\\]|\\.)*"?|[[{]\s*[\]}]|[[\]{},:]|[^\s"[\]{},:]+/g) ?? [];
  return tokens
    .map((token) => {
      if (token === '{' || token === '[') {
        depth++;
        return token + line();
      }
      if (token === '}' || token === ']') {
        depth = Math.max(0, depth - 1);
        return line() + token;
      }
      if (token === ',') return token + line();
      return token === ':' ? ': ' : token;
    })
    .join('');
}

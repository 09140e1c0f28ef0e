const maxDepth = 24;

/**
 * Indents JSON that is on one line. Text with line breaks, or that is not an object or array, is returned unchanged. The
 * text is not parsed, so numbers, duplicate names and truncation are shown as sent.
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

import { visibleText } from '#html';

/** Renders text as a Markdown code span that the text cannot end: on one line, with `|` escaped for tables. */
export function codeSpan(text: string): string {
  const line = oneLine(text);
  if (line.trim() === '') return '(empty)';
  const longest = longestRun(line);
  const [ticks, space] = ['`'.repeat(longest + 1), longest === 0 ? '' : ' '];
  return `${ticks}${space}${line.trim().replaceAll('|', '\\|')}${space}${ticks}`;
}

/** Renders text as a fenced code block; the fence is longer than any run of backticks in the text. */
export function fence(text: string, language: string): string {
  const ticks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${ticks}${language.replace(/[^a-z]/g, '')}\n${visibleText(text.replaceAll('\r', ''))}\n${ticks}`;
}

/** Escapes every character with a meaning in Markdown or HTML, and joins the text into one line. */
export function escapeMarkdown(text: string): string {
  return oneLine(text).replace(/[\\`*_[\]#|<>&~]/g, (character) => `\\${character}`);
}

function oneLine(text: string): string {
  return visibleText(text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' '));
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

import type { VNode } from 'preact';
import { visibleText } from '#html';
import { pageText } from './error-page-text.js';

/** Lines and characters that stand before the rest is folded. */
const headLines = 12;
const headCharacters = 700;

/** A message with its line breaks; a long one shows its beginning and opens. No space stands between its parts. */
export function LongText({ text, empty }: { text: string; empty: string }): VNode {
  const whole = visibleText(text);
  if (whole === '') return <p class="message none">{empty}</p>;
  const head = whole.split('\n', headLines).join('\n').slice(0, headCharacters);
  if (head.length === whole.length) return <p class="message">{whole}</p>;
  return (
    <div class="message">
      {head}…
      <details>
        <summary>{pageText('Show all ({n} characters)', { n: whole.length })}</summary>
        {whole.slice(head.length)}
      </details>
    </div>
  );
}

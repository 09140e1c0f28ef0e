import { html, type SafeHtml, visibleText } from '#html';

/** Lines and characters that stand before the rest is folded. */
const lines = 12;
const characters = 700;

/** A message with its line breaks; a long one shows its beginning and opens. */
export function renderLongText(text: string, empty: string): SafeHtml {
  const whole = visibleText(text);
  if (whole === '') return html`<p class="message none">${empty}</p>`;
  const head = whole.split('\n', lines).join('\n').slice(0, characters);
  if (head.length === whole.length) return html`<p class="message">${whole}</p>`;
  // One hole, for what breaks lines is shown as it stands: a template that is laid out would put spaces in between.
  const rest = [
    html`<summary>Show all (${whole.length.toLocaleString('en')} characters)</summary>`,
    whole.slice(head.length),
  ];
  const parts = [head, '…', html`<details>${rest}</details>`];
  return html`<div class="message">${parts}</div>`;
}

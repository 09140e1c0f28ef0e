import type { VNode } from 'preact';
import { statusText } from '#core/errors';
import type { Tone } from '../../view/block.js';

export const statusSigns: Readonly<Record<Tone, string>> = {
  neutral: '…',
  ok: '✓',
  info: '↪',
  warn: '!',
  error: '✕',
};

const tonesOfClasses: readonly Tone[] = ['neutral', 'neutral', 'ok', 'info', 'warn'];

/** Returns a status code's tone and reason phrase; 0 means no response. */
export function statusLook(status: number): { readonly tone: Tone; readonly word: string } {
  const tone = tonesOfClasses[Math.floor(status / 100)] ?? 'error';
  return { tone, word: status === 0 ? 'No response' : statusText(status) };
}

/** Status code, reason phrase and sign, so that the meaning never depends on colour alone. */
export function StatusChip({ status }: { status: number }): VNode {
  const { tone, word } = statusLook(status);
  return (
    <span class={`chip is-${tone}`}>
      <span aria-hidden="true">{statusSigns[tone]} </span>
      {status === 0 ? '–' : status}
      <span class="word"> {word}</span>
    </span>
  );
}

/**
 * A row's status, linked to rows with the same status. The title shows the phrase; the style sheet adds the sign.
 */
export function StatusLink({ status, href }: { status: number; href: string }): VNode {
  const { tone, word } = statusLook(status);
  return (
    <a class={`is-${tone}`} href={href} title={tone === 'ok' ? undefined : word}>
      {status === 0 ? '–' : status}
    </a>
  );
}

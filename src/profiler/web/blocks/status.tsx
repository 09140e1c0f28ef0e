import type { VNode } from 'preact';
import { statusText } from '#errors';
import type { Tone } from '../../panels/blocks/block.js';

/** Signs of the tones beside a status. */
const signs: Readonly<Record<Tone, string>> = { neutral: '…', ok: '✓', info: '↪', warn: '!', error: '✕' };

interface StatusLook {
  readonly tone: Tone;
  readonly word: string;
}

/** Returns tone and word of a status code. */
export function statusLook(status: number): StatusLook {
  if (status === 0) return { tone: 'neutral', word: 'No response' };
  const word = statusText(status);
  if (status >= 500) return { tone: 'error', word };
  if (status >= 400) return { tone: 'warn', word };
  if (status >= 300) return { tone: 'info', word };
  return { tone: status >= 200 ? 'ok' : 'neutral', word };
}

/**
 * Status number, word and sign, so that the meaning never depends on colour alone. If `compact`, the word is the
 * title and the sign comes from the style sheet.
 */
export function StatusChip({ status, compact }: { status: number; compact: boolean }): VNode {
  const look = statusLook(status);
  return (
    <span
      class={`${compact ? 'status' : 'chip'} is-${look.tone}`}
      title={compact && look.tone !== 'ok' ? look.word : undefined}
    >
      {!compact && <span aria-hidden="true">{signs[look.tone]} </span>}
      {status === 0 ? '–' : status}
      {!compact && ` ${look.word}`}
    </span>
  );
}

import type { VNode } from 'preact';
import { statusText } from '#errors';
import type { Tone } from '../../panels/blocks/block.js';
import { icons } from '../../panels/blocks/icons.js';
import { Icon } from './icon.js';
import { say } from '../../words/say.js';

interface StatusLook {
  readonly tone: Tone;
  readonly word: string;
  readonly icon: string;
}

/** Returns tone, word and icon of a status code, so that the meaning never depends on colour alone. */
export function statusLook(status: number): StatusLook {
  if (status === 0) return { tone: 'neutral', word: say('No response'), icon: icons.pending };
  const word = statusText(status);
  if (status >= 500) return { tone: 'error', word, icon: icons.error };
  if (status >= 400) return { tone: 'warn', word, icon: icons.warn };
  if (status === 304) return { tone: 'info', word, icon: icons.ok };
  if (status >= 300) return { tone: 'info', word, icon: icons.redirect };
  return { tone: status >= 200 ? 'ok' : 'neutral', word, icon: status >= 200 ? icons.ok : icons.pending };
}

/** Status number, word and icon. If `compact`, the word is only for screen readers and the icon comes from the style sheet. */
export function StatusChip({ status, compact }: { status: number; compact: boolean }): VNode {
  const look = statusLook(status);
  return (
    <span class={`status is-${look.tone}${compact ? '' : ' big'}`}>
      {!compact && <Icon path={look.icon} />}
      {status === 0 ? '–' : status}
      <span class={compact ? 'visually-hidden' : undefined}>{look.word}</span>
    </span>
  );
}

import type { Translations } from '#phrases';
import { actionPhrases } from './action-phrases.js';
import { factPhrases } from './fact-phrases.js';
import { framePhrases } from './frame-phrases.js';
import { listPhrases } from './list-phrases.js';
import { panelPhrases } from './panel-phrases.js';
import { recordPhrases } from './record-phrases.js';

/** A text of the profiler's pages: its English is its name. */
export type Phrase =
  | keyof typeof factPhrases
  | keyof typeof framePhrases
  | keyof typeof listPhrases
  | keyof typeof actionPhrases
  | keyof typeof panelPhrases
  | keyof typeof recordPhrases;

export const phrases: Readonly<Record<Phrase, Translations>> = {
  ...factPhrases,
  ...framePhrases,
  ...listPhrases,
  ...actionPhrases,
  ...panelPhrases,
  ...recordPhrases,
};

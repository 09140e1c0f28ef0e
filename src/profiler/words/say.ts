import { createPhrasebook, type Phrasebook } from '#phrases';
import de from './de.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };

/** A phrase of the profiler's pages, identified by its English text. */
export type Phrase = keyof typeof fr;

const book: Phrasebook<Phrase> = createPhrasebook({ fr, de });

/** Translates a phrase of the profiler's pages into the reader's language. */
export const say: Phrasebook<Phrase>['say'] = book.say;
export const sayKnown: Phrasebook<Phrase>['sayKnown'] = book.sayKnown;

import { createPhrasebook, type Phrasebook } from '#phrases';
import de from './de.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };

/** A text of the profiler's pages: its English is its name. */
export type Phrase = keyof typeof fr;

const book: Phrasebook<Phrase> = createPhrasebook({ fr, de });

/** A text of the profiler's pages in the reader's language. */
export const say: Phrasebook<Phrase>['say'] = book.say;
export const sayKnown: Phrasebook<Phrase>['sayKnown'] = book.sayKnown;

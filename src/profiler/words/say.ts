import { createPhrasebook, type Phrasebook } from '#phrases';
import { type Phrase, phrases } from './phrases.js';

const book: Phrasebook<Phrase> = createPhrasebook(phrases);

/** A text of the profiler's pages in the reader's language. */
export const say: Phrasebook<Phrase>['say'] = book.say;
export const sayKnown: Phrasebook<Phrase>['sayKnown'] = book.sayKnown;

import { createPhrasebook, type Phrasebook } from '#phrases';
import { hintPhrases } from '../present/hint-phrases.js';
import { pagePhrases } from './page-phrases.js';

type Phrase = keyof typeof pagePhrases | keyof typeof hintPhrases;
const book: Phrasebook<Phrase> = createPhrasebook({ ...pagePhrases, ...hintPhrases });

/** A text of the error page in the reader's language. */
export const pageText: Phrasebook<Phrase>['say'] = book.say;
export const knownText: Phrasebook<Phrase>['sayKnown'] = book.sayKnown;

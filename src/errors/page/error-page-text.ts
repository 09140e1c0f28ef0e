import { createPhrasebook, type Phrasebook } from '#phrases';
import de from '../present/de.json' with { type: 'json' };
import fr from '../present/fr.json' with { type: 'json' };

const book: Phrasebook<keyof typeof fr> = createPhrasebook({ fr, de });

/** Translates a text of the error page into the reader's language. */
export const pageText: Phrasebook<keyof typeof fr>['say'] = book.say;
export const knownText: Phrasebook<keyof typeof fr>['sayKnown'] = book.sayKnown;

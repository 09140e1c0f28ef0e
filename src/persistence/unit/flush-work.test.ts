import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FlushWorks } from './flush-work.js';
import { TranslationStates } from './translation-state.js';

describe('the works of a flush', () => {
  it('are one for each entity, in the language of the flush', () => {
    const works = new FlushWorks('fr', { states: new TranslationStates(), locales: { default: 'en' } });
    const [one, other] = [{}, {}];
    assert.equal(works.find(one), undefined);
    const work = works.open(one);
    assert.deepEqual([work.locale, work.isRemoval, work.texts.size], ['fr', false, 0]);
    assert.equal(works.open(one), work);
    assert.equal(works.find(one), work);
    assert.notEqual(works.open(other), work);
    assert.deepEqual(
      [...works.entries()].map(([entity]) => entity === one),
      [true, false],
    );
  });
});

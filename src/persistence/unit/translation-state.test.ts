import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TranslationStates } from './translation-state.js';

describe('the state of a translated entity', () => {
  it('begins in the language it was opened in, and stays', () => {
    const states = new TranslationStates();
    const entity = {};
    assert.equal(states.find(entity), undefined);
    const state = states.open(entity, 'de');
    assert.equal(states.open(entity, 'fr'), state);
    assert.deepEqual([state.locale, state.isStale, state.ready], ['de', false, undefined]);
    assert.equal(states.find({}), undefined);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requestLocale } from '#http';
import { runInScope, Scope } from '#scope';
import { createCatalogue, type MessageUse, messageChannel } from './create-catalogue.js';

const catalogue = createCatalogue({
  fallback: 'en',
  messages: {
    en: {
      comments: '{count, plural, one {# comment} other {# comments}}',
      only: 'English only',
      who: 'Hi {name}',
    },
    fr: { comments: '{count, plural, one {# commentaire} other {# commentaires}}' },
  },
});

describe('createCatalogue', () => {
  it('plural and select in the locale of the request', () => {
    const scope = new Scope();
    scope.set(requestLocale, 'fr-CA');
    assert.equal(
      runInScope(scope, () => catalogue.text('comments', { count: 0 })),
      '0 commentaire',
    );
    assert.equal(catalogue.text('comments', { count: 2 }, 'en'), '2 comments');
    assert.equal(catalogue.text('comments', { count: 1 }), '1 comment');
    assert.equal(catalogue.text('who', { name: '<b>' }), 'Hi <b>');
  });

  it('fallback and missing messages are reported to listeners', () => {
    const uses: MessageUse[] = [];
    const listen = (use: unknown): void => void uses.push(use as MessageUse);
    messageChannel.subscribe(listen);
    assert.equal(catalogue.text('only', {}, 'fr'), 'English only');
    assert.equal(catalogue.text('nowhere', {}, 'fr'), 'nowhere');
    assert.equal(catalogue.text('comments', { count: 3 }, 'fr-CA'), '3 commentaires');
    messageChannel.unsubscribe(listen);
    assert.deepEqual(
      uses.map(({ key, used, state }) => [key, used, state]),
      [
        ['only', 'en', 'fallback'],
        ['nowhere', undefined, 'missing'],
        ['comments', 'fr', 'defined'],
      ],
    );
  });

  it('a message that cannot be parsed is refused at start', () => {
    assert.throws(
      () => createCatalogue({ fallback: 'en', messages: { en: { broken: '{x, plural, one {a}' } } }),
      { code: 'LOCALE_BAD_MESSAGE' },
    );
  });
});

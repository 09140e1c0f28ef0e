import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest, type RequestSource } from '#http';
import { inLanguage, type Language } from '#phrases';
import { runInScope } from '#scope';
import { preparePage } from '../web/site/prepare-page.js';
import { say, sayKnown } from './say.js';

describe('texts of the profiler’s pages', () => {
  it('are English outside of pages, and in the language of the page within', () => {
    assert.equal(say('Requests'), 'Requests');
    assert.equal(
      inLanguage('fr', () => say('Requests')),
      'Requêtes',
    );
    assert.equal(
      inLanguage('de', () => say('Requests')),
      'Anfragen',
    );
  });

  it('have the form for one or for many as the language counts, and numbers as it writes them', () => {
    const queries = (language: Language, n: number): string =>
      inLanguage(language, () => say('{n} query|{n} queries', { n }));
    assert.deepEqual(
      [queries('en', 0), queries('en', 1), queries('en', 1200)],
      ['0 queries', '1 query', '1,200 queries'],
    );
    assert.equal(queries('fr', 0), '0 requête SQL');
    assert.equal(queries('de', 1200), '1.200 Abfragen');
  });

  it('values stand as they are, whatever they hold', () => {
    assert.equal(say('Did you mean {path}?', { path: '{path} $& |' }), 'Did you mean {path} $& |?');
    assert.equal(say('Did you mean {path}?'), 'Did you mean {path}?');
  });

  it('a foreign text stays', () => {
    for (const text of ['Queue', 'toString', '__proto__', ''])
      assert.equal(
        inLanguage('de', () => sayKnown(text)),
        text,
      );
  });
});

function requestOf(
  headers: Readonly<Record<string, string>> = {},
  changes: Partial<RequestSource> = {},
): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target: '/_profiler/',
    rawHeaders: ['Host', 'a.test', ...Object.entries(headers).flat()],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
    ...changes,
  });
}

describe('words of the pages', () => {
  it('are said in the language of the page around them', () => {
    const request = requestOf({ 'accept-language': 'de' });
    preparePage(request, '/_profiler');
    assert.notEqual(
      runInScope(request.scope, () => say('Requests')),
      say('Requests'),
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flattenError } from '../thrown/flatten-error.js';
import { renderErrorPage } from './error-page.js';

function pageFor(acceptLanguage: string): string {
  const thrown = new TypeError("Cannot read properties of undefined (reading 'x')", {
    cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }),
  });
  const headers = [['Accept-Language', acceptLanguage]] as const;
  return renderErrorPage(flattenError(thrown), { request: { method: 'GET', url: '/', headers } })
    .replace(/<(style|script)\b[^]*?<\/\1>/g, '')
    .replace(/<section id="as-markdown"[^]*?<\/section>/, '');
}

describe('texts of the error page', () => {
  it('are in the language that the request accepts, else English', () => {
    const [english, french, german] = [pageFor('it, *;q=0.1'), pageFor('fr-CH, de;q=0.9'), pageFor('de')];
    assert.match(english, /<html lang="en".*<h2 id="stack-title">Stack trace</s);
    assert.match(french, /<html lang="fr".*<h2 id="stack-title">Pile d’appels</s);
    assert.match(german, /<html lang="de".*<h2 id="stack-title">Stacktrace</s);
    assert.match(french, /Rien n’écoute à cette adresse/);
    assert.match(german, /Der Wert links vom markierten Punkt fehlt/);
    for (const page of [french, german])
      for (const word of [
        'Errors, inner first',
        'Copy stack',
        'what the client saw',
        'No cookies',
        'Skip to',
      ])
        assert.ok(!page.includes(word), word);
  });
});

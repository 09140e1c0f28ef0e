import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLocale } from './create-locale.js';

describe('createLocale', () => {
  it('refuses what is not a locale and a default that is not enabled', () => {
    assert.throws(() => createLocale({ enabled: ['en', 'not a locale'] }), { code: 'LOCALE_MALFORMED' });
    assert.throws(() => createLocale({ enabled: ['en'], default: 'fr' }), {
      code: 'LOCALE_DEFAULT_NOT_ENABLED',
    });
    assert.equal(createLocale({ enabled: ['pt-br', 'en'] }).default, 'pt-BR');
  });
});

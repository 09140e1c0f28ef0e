import assert from 'node:assert/strict';
import { Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { watchLocalVariables } from '#core/errors';
import { findFunctionLocation } from './function-location.js';

describe('the location of a function', () => {
  it('is known without another list of all scripts while local variables are watched', ({ mock }) => {
    const stop = watchLocalVariables({ libraryFolders: ['/none/'] }); // otherwise this file is lookback's own
    const { mock: posted } = mock.method(Session.prototype, 'post');
    try {
      const location = findFunctionLocation(function handler() {});
      const file = fileURLToPath(import.meta.url)
        .replace(/^.*dist/, '')
        .replace(/\.js$/, '.ts');
      assert.ok(location?.file.endsWith(file), location?.file);
      const asked = posted.calls.map(({ arguments: [method] }) => String(method));
      assert.ok(asked.includes('Runtime.getProperties') && !asked.includes('Debugger.enable'), String(asked));
    } finally {
      stop();
    }
  });

  it('is known while they are not watched', () => {
    const location = findFunctionLocation(function handler() {});
    assert.match(location?.file ?? '', /function-location\.test\.ts$/);
  });
});

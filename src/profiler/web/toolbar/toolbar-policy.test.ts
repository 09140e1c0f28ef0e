import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findToolbarNonce } from './toolbar-policy.js';

const origin = 'http://localhost:8000';

describe("a page's policy and the toolbar", () => {
  const cases: readonly (readonly [fields: readonly string[], allowed: boolean, nonce?: string])[] = [
    [[], true],
    [["default-src 'self'"], true],
    [["default-src 'none'"], false],
    [["DEFAULT-SRC 'SELF'; object-src 'none'"], true],
    [["script-src 'self'"], true],
    [["script-src 'self'; connect-src 'none'"], false],
    [["default-src 'none'; script-src 'self'; connect-src 'self'"], true],
    [["script-src 'unsafe-inline'"], false],
    [["script-src 'self' 'strict-dynamic'"], false],
    [["script-src 'nonce-YWJj' 'strict-dynamic'"], true, 'YWJj'],
    [["script-src 'nonce-YWJj'; script-src-elem 'none'"], false],
    [["script-src 'none'; script-src-elem 'nonce-YWJj'"], true, 'YWJj'],
    [["script-src 'nonce-\"><b>'"], false],
    [['script-src http://localhost:8000'], true],
    [['script-src https://localhost:8000'], false],
    [['script-src http:'], true],
    [['script-src *'], true],
    [["script-src 'self'", "script-src 'nonce-YWJj'"], true, 'YWJj'],
    [["script-src 'self' 'nonce-YWJj', script-src 'nonce-YWJj'"], true, 'YWJj'],
    [["script-src 'nonce-YQ=='", "script-src 'nonce-Yg=='"], false],
    [["sandbox allow-scripts; script-src 'self'"], false],
    [["script-src 'none'; script-src 'self'"], false],
    [[Array.from({ length: 11 }, () => "script-src 'self'").join()], true],
  ];
  for (const [fields, isAllowed, nonce] of cases)
    it(`${fields.join(' | ').slice(0, 90) || 'none'}: ${isAllowed ? 'allowed' : 'blocked'}`, () => {
      assert.equal(findToolbarNonce(fields, origin), isAllowed ? (nonce ?? '') : undefined);
    });
});

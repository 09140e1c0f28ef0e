import assert from 'node:assert/strict';
import type { HttpRequest } from 'lookback';
import { AuthenticationError, type Authenticator } from 'lookback/security';
import { type ContractCase, createContract } from './contract-case.js';

/** Requests for the contract suite for `Authenticator`. */
export interface AuthenticatorCases {
  /** Creates a request with valid credentials of `identifier`. */
  readonly good: () => HttpRequest;
  readonly identifier: string;
  /** Requests with malformed credentials for this authenticator. */
  readonly malformed: readonly (() => HttpRequest)[];
  /** Requests without credentials for this authenticator. */
  readonly foreign: readonly (() => HttpRequest)[];
}

/** The contract suite for `Authenticator`. */
export function checkAuthenticator(
  authenticator: Authenticator,
  cases: AuthenticatorCases,
): readonly ContractCase[] {
  return createContract({
    async 'creates the same passport each time from a request with credentials'() {
      const request = cases.good();
      assert.equal(authenticator.supports(request), true);
      const passport = await authenticator.authenticate(request);
      assert.equal(passport.identifier, cases.identifier);
      assert.equal((await authenticator.authenticate(request)).identifier, cases.identifier);
      for (const badge of passport.badges) assert.equal(typeof badge.check, 'function', badge.name);
    },
    async 'supports only its own requests'() {
      for (const make of cases.foreign) {
        const request = make();
        assert.equal(authenticator.supports(request), false, `${request.method} ${request.rawPath}`);
      }
    },
    async 'throws an AuthenticationError for malformed credentials'() {
      for (const make of cases.malformed) {
        const request = make();
        assert.equal(authenticator.supports(request), true);
        await assert.rejects(async () => authenticator.authenticate(request), AuthenticationError);
      }
    },
  });
}

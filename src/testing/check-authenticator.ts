import assert from 'node:assert/strict';
import { AuthenticationError, type Authenticator } from '#security';
import type { HttpRequest } from '#http';
import { type ContractCase, contractOf } from './contract-case.js';

/** The requests that the contract suite of an authenticator is run with. */
export interface AuthenticatorCases {
  /** Makes a request that says it is `identifier`, as the authenticator reads it. */
  readonly good: () => HttpRequest;
  readonly identifier: string;
  /** Requests that try, and whose data cannot be read. */
  readonly malformed: readonly (() => HttpRequest)[];
  /** Requests that do not try at all. */
  readonly foreign: readonly (() => HttpRequest)[];
}

/** The contract of `Authenticator`. */
export function checkAuthenticator(
  authenticator: Authenticator,
  cases: AuthenticatorCases,
): readonly ContractCase[] {
  return contractOf({
    async 'makes a passport of a request that carries its data, the same each time'() {
      const request = cases.good();
      assert.equal(authenticator.supports(request), true);
      const passport = await authenticator.authenticate(request);
      assert.equal(passport.identifier, cases.identifier);
      assert.equal((await authenticator.authenticate(request)).identifier, cases.identifier);
      for (const badge of passport.badges)
        assert.ok(badge.isResolved || badge.check !== undefined, badge.name);
    },
    async 'supports nothing that is not its own'() {
      for (const make of cases.foreign) {
        const request = make();
        assert.equal(authenticator.supports(request), false, `${request.method} ${request.rawPath}`);
      }
    },
    async 'throws an AuthenticationError for what it cannot read'() {
      for (const make of cases.malformed) {
        const request = make();
        assert.equal(authenticator.supports(request), true);
        await assert.rejects(async () => authenticator.authenticate(request), AuthenticationError);
      }
    },
  });
}

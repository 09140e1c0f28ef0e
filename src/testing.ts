/** For tests: a client for applications, and a contract suite for every port, which all implementations should pass. */
export type { ContractCase } from './testing/contract-case.js';
export { checkAuthenticator, type AuthenticatorCases } from './testing/check-authenticator.js';
export { checkExpiringStore } from './testing/check-expiring-store.js';
export { checkLoginThrottle } from './testing/check-login-throttle.js';
export { checkPasswordHasher } from './testing/check-password-hasher.js';
export { checkUserProvider } from './testing/check-user-provider.js';
export { checkVoter } from './testing/check-voter.js';
export { checkProfileStore, type OpenProfileStore } from './testing/check-profile-store.js';
export { makeSegment, type SampleRequest } from './testing/make-segment.js';
export { createTestClient } from './testing/client/create-test-client.js';
export type { TestClient, TestClientOptions, TestRequest } from './testing/client/create-test-client.js';
export type { CookieJar } from './testing/client/cookie-jar.js';
export type { TestCall } from './testing/client/test-call.js';
export type { TestResponse } from './testing/client/test-response.js';

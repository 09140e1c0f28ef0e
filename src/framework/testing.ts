/** A client for testing applications. */
export { createTestClient } from './testing/client/create-test-client.js';
export type { TestClient, TestClientOptions, TestRequest } from './testing/client/create-test-client.js';
export type { CookieJar } from './testing/client/cookie-jar.js';
export type { TestCall, TestResponse } from './testing/client/test-call.js';

/** A test client for applications. */
export * from './framework/testing.js';

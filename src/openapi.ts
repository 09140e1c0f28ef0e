/** Generates an application's OpenAPI document. */
export * from './framework/openapi.js';

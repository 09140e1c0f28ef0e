/** An application as an OpenAPI document. */
export * from './framework/openapi.js';

export * from './framework/openapi.js';

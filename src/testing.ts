export * from './framework/testing.js';

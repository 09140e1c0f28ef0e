export * from './framework/persistence.js';

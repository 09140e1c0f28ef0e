export * from './framework/configuration.js';

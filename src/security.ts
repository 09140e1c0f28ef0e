export * from './framework/security.js';

export * from './framework/web.js';

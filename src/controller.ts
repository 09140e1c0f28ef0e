export * from './framework/controller.js';

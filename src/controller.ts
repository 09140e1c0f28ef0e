/** Controllers: results, arguments, validation by schemas, and the context of a call. */
export * from './framework/controller.js';

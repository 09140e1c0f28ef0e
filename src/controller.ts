/** Controllers: results, arguments, schema validation, and the call's context. */
export * from './framework/controller.js';

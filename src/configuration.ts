/** Typed configuration of an application, read from environment variables and `.env` files. */
export { defineConfiguration } from './configuration/define-configuration.js';
export type { ConfigurationOf, ConfigurationShape } from './configuration/define-configuration.js';
export { loadEnvironment } from './configuration/load-environment.js';
export { choice, flag, wholeNumber, list, number, text, url } from './configuration/variables.js';
export type { VariableOptions, VariableSchema } from './configuration/variables.js';

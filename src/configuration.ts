/** Typed configuration of an application, read from environment variables and `.env` files. */
export { defineConfiguration, flag, wholeNumber } from './configuration/define-configuration.js';
export { text, url } from './configuration/define-configuration.js';
export type { ConfigurationOf, ConfigurationShape } from './configuration/define-configuration.js';
export type { VariableOptions, VariableSchema } from './configuration/define-configuration.js';
export { loadEnvironment } from './configuration/load-environment.js';

/** The `.env` files of an application. */
export { loadEnvironment } from './configuration/load-environment.js';

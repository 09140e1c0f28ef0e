/** Settings of an application, from its environment. */
export { environmentName, loadEnvironment } from './framework/configuration.js';

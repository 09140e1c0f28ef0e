/** Application settings from the environment. */
export { environmentName, loadEnvironment } from './framework/configuration.js';

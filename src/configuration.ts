export { environmentName, loadEnvironment } from './configuration/load-environment.js';

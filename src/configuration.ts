export { loadEnvironment } from './configuration/load-environment.js';

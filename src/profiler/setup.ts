/**
 * Sets up one profiler for both application and attached server, with the same variables, store, collectors,
 * instrumentations and pages.
 */
export { assembleProfiler, type AssembledProfiler } from './setup/assemble-profiler.js';
export type { RecordingAdditions, ProfilerParts } from './setup/assemble-profiler.js';
export { readRecordingSettings, type RecordingSettings } from './setup/recording-settings.js';
export { type Environment, environmentOf, isFirstWorker, whyNotRecorded } from './setup/environment.js';
export { listStateStores, stateStoreAddress, whyInMemory } from './setup/state-store.js';
export {
  describeUnknown,
  unknownVariables,
  variablesOf,
  warnOfUnknownVariables,
} from './setup/unknown-variables.js';
export { inVariable, VariableReader, type Variables } from './setup/variable-reader.js';

/**
 * One profiler for both ways in: an application of the framework, and a server that it is attached to. Both read the same
 * variables, and assemble the same store, collectors, taps and pages.
 */
export { assembleProfiler, type AssembledProfiler } from './recording/assemble-profiler.js';
export type { RecordingAdditions, ProfilerParts } from './recording/assemble-profiler.js';
export { readRecordingSettings, type RecordingSettings } from './recording/recording-settings.js';
export type { RetentionSettings } from './recording/recording-settings.js';
export { type Environment, environmentOf, whyNotRecorded } from './recording/environment.js';
export { stateStoreAddress } from './recording/state-store.js';
export { VariableReader, type Variables } from './recording/variable-reader.js';

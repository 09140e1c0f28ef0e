/** One profiler for both ways in, application and attached server: the same variables, store, collectors, taps and pages. */
export { assembleProfiler, type AssembledProfiler } from './profiler-setup/assemble-profiler.js';
export type { RecordingAdditions, ProfilerParts } from './profiler-setup/assemble-profiler.js';
export { readRecordingSettings, type RecordingSettings } from './profiler-setup/recording-settings.js';
export type { RetentionSettings } from './profiler-setup/recording-settings.js';
export { type Environment, environmentOf, whyNotRecorded } from './profiler-setup/environment.js';
export { stateStoreAddress, whyInMemory } from './profiler-setup/state-store.js';
export { VariableReader, type Variables } from './profiler-setup/variable-reader.js';

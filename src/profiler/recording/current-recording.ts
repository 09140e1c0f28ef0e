import { channel } from 'node:diagnostics_channel';
import { captureCallSites } from '#core/errors';
import type { LogHandler } from '#core/log';
import { type ScopeKey, createScopeKey, currentScope } from '#core/scope';
import type { Recording } from '../model/recording.js';

/** A request's recording, stored in its scope; absent if the request is not recorded. */
export const requestRecording: ScopeKey<Recording> = createScopeKey<Recording>('recording');

/**
 * Returns the recording of the request that the current code runs for; used by process-wide subscribers.
 * Undefined if there is none.
 */
export function currentRecording(): Recording | undefined {
  return currentScope()?.get(requestRecording);
}

/** Creates a log handler that adds each log record to the current request's recording. */
export function createRecordingLogHandler(): LogHandler {
  return { handle: (record) => currentRecording()?.log(record) };
}

const dumps = channel('lookback:dump');

/**
 * Adds a snapshot of a value to the current request's record, with the call's source location; the profiler shows it in
 * the “Dumps” panel. Returns the value, so that the call can be part of an expression. Keeps the first 100 values per
 * request. Writes nothing to the response or the console, and does nothing if no request is recorded.
 */
export function dumpValue<Value>(value: Value, label = ''): Value {
  if (dumps.hasSubscribers && currentRecording() !== undefined)
    dumps.publish({ value, label, sites: captureCallSites(dumpValue, { depth: 12, limit: 1 }) });
  return value;
}

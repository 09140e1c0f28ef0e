import { channel } from 'node:diagnostics_channel';
import { captureCallSites } from '#core/errors';
import type { LogHandler } from '#core/log';
import { type ScopeKey, createScopeKey, currentScope } from '#core/scope';
import type { Recording } from '../model/recording.js';

/** The recording of a request, in its scope; absent if nothing is recorded. Set by the code that begins it. */
export const requestRecording: ScopeKey<Recording> = createScopeKey<Recording>('recording');

/** Returns the recording of the request for which the current code runs; used by process-wide subscribers. */
export function currentRecording(): Recording | undefined {
  return currentScope()?.get(requestRecording);
}

/** Creates a log handler that adds each log record to the recording of the current request. */
export function createRecordingLogHandler(): LogHandler {
  return { handle: (record) => currentRecording()?.log(record) };
}

const dumps = channel('lookback:dump');

/**
 * Adds a snapshot of a value to the record of the current request, with the place of the call; the profiler shows it
 * in the panel “Dumps”. Returns the value, so that it can be used within an expression. The first 100 of a request are
 * kept. It writes nothing to the response or the console, and does nothing if no request is recorded.
 */
export function dumpValue<Value>(value: Value, label = ''): Value {
  if (dumps.hasSubscribers && currentRecording() !== undefined)
    dumps.publish({ value, label, sites: captureCallSites(dumpValue, { depth: 12, limit: 1 }) });
  return value;
}

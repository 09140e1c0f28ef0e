import { channel } from 'node:diagnostics_channel';
import { noteCallSites } from '#errors';
import type { ScopeKey } from '#scope';
import { createScopeKey, currentScope } from '#scope';
import type { Recording } from '../model/recording.js';

/** The recording of a request, in its scope; absent where nothing is recorded. Set by whoever begins it. */
export const requestRecording: ScopeKey<Recording> = createScopeKey<Recording>('recording');

/** The recording of the request that this code runs for. What sources of facts, tapped once a process, write to. */
export function currentRecording(): Recording | undefined {
  return currentScope()?.get(requestRecording);
}

const dumps = channel('lookback:dump');

/**
 * Keeps a picture of a value, as it is at this moment, in the record of the current request, with the place of the call; the
 * profiler shows it in the panel “Dumps”. Gives the value back, so that it can stand within an expression. Of a request the
 * first 100 are kept. It writes nothing to the response or the console, and does nothing where no request is recorded.
 */
export function dumpValue<Value>(value: Value, label = ''): Value {
  if (dumps.hasSubscribers && currentRecording() !== undefined)
    dumps.publish({ value, label, sites: noteCallSites(dumpValue, { depth: 12, limit: 1 }) });
  return value;
}

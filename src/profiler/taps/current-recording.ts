import type { ScopeKey } from '#scope';
import { createScopeKey, currentScope } from '#scope';
import type { Recording } from '../model/recording.js';

/** The recording of a request, in its scope; absent where nothing is recorded. Set by whoever begins it. */
export const requestRecording: ScopeKey<Recording> = createScopeKey<Recording>('recording');

/** The recording of the request that this code runs for. What sources of facts, tapped once a process, write to. */
export function currentRecording(): Recording | undefined {
  return currentScope()?.get(requestRecording);
}

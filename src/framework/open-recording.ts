import type { Recording } from '#profiler';
import type { ScopeKey } from '#scope';
import { createScopeKey } from '#scope';

/** The recording of the request that is being answered; absent where nothing is recorded. */
export const openRecording: ScopeKey<Recording> = createScopeKey<Recording>('open recording');

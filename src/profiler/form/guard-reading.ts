import { isCodedError } from '#coded-error';
import { formErrors } from './error-codes.js';

/**
 * Reads bytes that may be damaged: whatever reading them throws becomes `PROFILER_RECORD_DAMAGED`; a record of a newer
 * version stays `PROFILER_RECORD_NEWER`.
 */
export function guardReading<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (isCodedError(error)) throw error;
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : 'unknown';
    throw formErrors.create('PROFILER_RECORD_DAMAGED', { reason: reason.slice(0, 200) }, { cause: error });
  }
}

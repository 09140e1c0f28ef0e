import { isCodedError } from '#coded-error';
import { formErrors } from './error-codes.js';

/**
 * Runs a function that reads possibly damaged bytes. Rethrows its exceptions as `PROFILER_RECORD_DAMAGED`, except coded
 * errors such as `PROFILER_RECORD_NEWER`.
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

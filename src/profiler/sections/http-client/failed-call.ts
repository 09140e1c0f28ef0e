import { findLeadError } from '#core/errors';
import { say } from '#core/phrases';
import type { ProfileRecord } from '../../model/profile-record.js';
import { failsWith } from '../../model/recorded-error.js';
import { findSection } from '../define-section.js';
import type { HttpCall, HttpSection } from './section.js';

/** The call that failed with a record's error. */
interface FailedCall {
  readonly call: HttpCall;
  readonly index: number;
  /** Its position: `call 2 of 3`. */
  readonly place: string;
}

/**
 * Finds the only call that failed with a record's error, for an error none of whose frames is in the application:
 * `fetch` with a timeout, for example, throws an error that a timer of Node created. Finds none if the record left out
 * calls, because one of those may be at fault.
 */
export function findFailedCall(record: ProfileRecord): FailedCall | undefined {
  const { exception } = record;
  const lead = exception === null ? undefined : findLeadError(exception);
  if (exception === null || lead === undefined || lead.frame !== undefined) return undefined;
  const { calls = [], totals } = findSection<HttpSection>(record, 'http', ['calls', 'totals']) ?? {};
  if (totals?.calls !== calls.length) return undefined;
  const isOfError = failsWith(exception);
  const failed = calls.flatMap((call, index) =>
    call.error !== null && isOfError(call.error) ? [{ call, index }] : [],
  );
  const [found] = failed;
  if (found === undefined || failed.length > 1) return undefined;
  const place =
    calls.length === 1 ? 'the only call' : say('call {at} of {n}', { at: found.index + 1, n: calls.length });
  return { ...found, place };
}

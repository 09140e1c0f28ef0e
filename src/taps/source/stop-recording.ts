import { classNameOf } from '#dump';
import { tapErrors } from './error-codes.js';

const undos = new WeakMap<object, () => void>();

/**
 * Taps the target of one of the functions that `stopRecording` undoes, unless it is already tapped; returns the target.
 * Throws `TAPS_UNKNOWN_TARGET` if `tap` returns undefined because it does not recognise the target.
 */
export function recordTarget<Target extends object>(
  target: Target,
  tap: (target: object) => (() => void) | undefined,
  names: { readonly function: string; readonly known: string },
): Target {
  if (undos.has(target)) return target;
  const undo = tap(target);
  if (undo === undefined)
    throw tapErrors.create('TAPS_UNKNOWN_TARGET', { ...names, what: classNameOf(target) });
  undos.set(target, undo);
  return target;
}

/** Undoes `recordQueries`, `recordMail`, `recordLogs` or `recordJobs` for a target. */
export function stopRecording(target: object): void {
  undos.get(target)?.();
  undos.delete(target);
}

import { classNameOf } from '#dump';
import { tapErrors } from './error-codes.js';

const undos = new WeakMap<object, () => void>();

/**
 * Taps what an application gives to one of the functions that `stopRecording` names, once; gives it back. Where `tap` gives
 * undefined, as it does not know the target, throws `TAPS_UNKNOWN_TARGET`.
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

/** Undoes `recordQueries`, `recordMail`, `recordLogs` or `recordJobs` for a target, exactly. */
export function stopRecording(target: object): void {
  undos.get(target)?.();
  undos.delete(target);
}

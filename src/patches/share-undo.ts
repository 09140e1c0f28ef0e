import type { Undo } from './replace-method.js';

/**
 * Applies a change to a target once, even if several callers need it, and undoes the change when the last caller releases
 * it. Each caller gets its own release function; calling it a second time has no effect.
 */
export function shareUndo<Target extends object>(
  begin: (target: Target) => Undo | undefined,
): (target: Target) => Undo {
  const known = new WeakMap<Target, { users: number; readonly undo: Undo | undefined }>();
  return (target) => {
    const entry = known.get(target) ?? { users: 0, undo: begin(target) };
    known.set(target, entry);
    entry.users++;
    let isUsed = true;
    return () => {
      if (!isUsed) return;
      isUsed = false;
      if (--entry.users > 0) return;
      known.delete(target);
      entry.undo?.();
    };
  };
}

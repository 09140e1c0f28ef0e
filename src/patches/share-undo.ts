import type { Undo } from './replace-method.js';

/**
 * Does something to a target once, however many callers need it, and undoes it when the last of them is done. Each
 * caller gets its own function to release it: calling that a second time does nothing.
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

import type { Undo } from './replace-method.js';

/**
 * Something that is done to a target once, however many need it, and undone when the last of them is through. The function that is
 * given back is that of one of them: a second call of it does nothing.
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

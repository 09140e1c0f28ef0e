const undos = new WeakMap<object, () => void>();

/** Remembers how a target is left as it was. */
export function rememberUndo(target: object, undo: () => void): void {
  undos.set(target, undo);
}

/** Whether a target is tapped, by whichever function. */
export function isTapped(target: object): boolean {
  return undos.has(target);
}

/** Leaves what `recordQueries`, `recordMail`, `recordLogs` or `recordJobs` was given exactly as it was before. */
export function stopRecording(target: object): void {
  undos.get(target)?.();
  undos.delete(target);
}

import type { Attachment } from './attachment.js';

/** A change to a framework or server that can be undone. */
export interface Detachable {
  /** Restores the framework or server; requests in flight are still recorded to their end. */
  detach(): void;
  /** Detaches, writes the remaining records and closes the store. */
  close(): Promise<void>;
}

/** Adds the methods that undo a change to a middleware or another target. */
export function makeDetachable<Target extends object>(
  target: Target,
  attachment: Attachment,
  detach: () => void,
): Target & Detachable {
  const close = (): Promise<void> => {
    detach();
    return attachment.close();
  };
  return Object.assign(target, { detach, close });
}

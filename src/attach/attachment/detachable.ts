import type { Attachment } from './attachment.js';

/** What can be taken back. */
export interface Detachable {
  /** Leaves the framework or server as it was; requests under way are recorded to their end. */
  detach(): void;
  /** Detaches, writes the remaining records and closes the store. */
  close(): Promise<void>;
}

/** Gives a middleware, or what stands for one, the methods that take it back. */
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

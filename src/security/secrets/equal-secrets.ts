import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two texts are the same, in a time that reveals nothing about where they differ or how long they are. */
export function equalSecrets(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

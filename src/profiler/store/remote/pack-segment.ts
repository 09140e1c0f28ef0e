import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { Segment } from '../../model/profile-store.js';

const deflate = promisify(deflateRaw);
/**
 * Level 1 is fast, and neighbouring records are so similar that more effort gains little. More memory for the tables
 * saves a quarter of the time.
 */
export const deflateOptions = { level: 1, memLevel: 9 } as const;

/** A segment with its parts deflated. */
export interface PackedSegment {
  readonly segment: Segment;
  readonly directory: Buffer;
  readonly body: Buffer;
}

export async function packSegment(segment: Segment): Promise<PackedSegment> {
  const [directory, body] = await Promise.all([
    deflate(segment.directory, deflateOptions),
    deflate(segment.body, deflateOptions),
  ]);
  return { segment, directory, body };
}

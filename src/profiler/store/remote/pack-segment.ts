import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { Segment } from '../../model/profile-store.js';

const deflate = promisify(deflateRaw);
/** Fast, and neighbours are so alike that more effort gains little; more memory for its tables saves a quarter of the time. */
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

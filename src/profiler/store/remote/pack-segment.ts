import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { Segment } from '../../model/profile-store.js';

const deflate = promisify(deflateRaw);
/** Fast, and neighbours are so alike that more effort gains little. */
const compression = { level: 1, memLevel: 9 };

/** A segment with its parts deflated. */
export interface PackedSegment {
  readonly segment: Segment;
  readonly directory: Buffer;
  readonly body: Buffer;
}

export async function packSegment(segment: Segment): Promise<PackedSegment> {
  const [directory, body] = await Promise.all([
    deflate(segment.directory, compression),
    deflate(segment.body, compression),
  ]);
  return { segment, directory, body };
}

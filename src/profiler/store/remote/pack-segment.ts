import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Segment } from '../../model/profile-store.js';

const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)];
/** Fast, and neighbours are so alike that more effort gains little. */
const compression = { level: 1, memLevel: 9 };
/** Bytes that a part of a segment may have when inflated. */
const maxSegmentBytes = 128 * 1024 * 1024;

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

/** Inflates a part. Throws a RangeError where the store gave no bytes. */
export function unpackPart(bytes: unknown): Promise<Buffer> {
  if (!(bytes instanceof Buffer)) throw new RangeError('A part of the segment is missing.');
  return inflate(bytes, { maxOutputLength: maxSegmentBytes });
}

import { promisify } from 'node:util';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

/** One way to compress. */
export interface Coding {
  compress(bytes: Uint8Array): Promise<Uint8Array>;
  /** A stream, and how it gives out all that it was given by now. */
  createStream(): Compressor;
}

/** What the streams of zlib are. */
export interface Compressor extends Transform {
  flush(callback?: () => void): void;
}

export type CodingName = 'br' | 'zstd' | 'gzip';

/** Good for text that is made at each request: higher levels take many times as long for a few per cent. */
const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
const gzip = { level: 6 };

/** Codings that this Node has; zstd came with 22.15. */
export const codings: ReadonlyMap<CodingName, Coding> = new Map<CodingName, Coding>([
  [
    'br',
    {
      compress: (bytes) => promisify(zlib.brotliCompress)(bytes, brotli),
      createStream: () => zlib.createBrotliCompress(brotli),
    },
  ],
  ...zstdOf(zlib),
  [
    'gzip',
    {
      compress: (bytes) => promisify(zlib.gzip)(bytes, gzip),
      createStream: () => zlib.createGzip(gzip),
    },
  ],
]);

interface Zstd {
  readonly zstdCompress: (bytes: Uint8Array, done: (error: Error | null, result: Buffer) => void) => void;
  readonly createZstdCompress: () => Compressor;
}

function zstdOf(node: object): (readonly [CodingName, Coding])[] {
  if (!('zstdCompress' in node)) return [];
  const { zstdCompress, createZstdCompress } = node as Zstd; // both came together
  return [['zstd', { compress: promisify(zstdCompress), createStream: createZstdCompress }]];
}

import { promisify } from 'node:util';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

/** A content coding. */
export interface Coding {
  compress(bytes: Uint8Array): Promise<Uint8Array>;
  /** Creates a compression stream that can be flushed. */
  createStream(): Compressor;
}

/** A compression stream of zlib. */
export interface Compressor extends Transform {
  flush(callback?: () => void): void;
}

export type CodingName = 'br' | 'zstd' | 'gzip';

/** Levels for dynamic text: higher ones take several times as long and save only a few per cent. */
const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
const gzip = { level: 6 };

/** The codings that this Node version supports; zstd since 22.15. */
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
  const { zstdCompress, createZstdCompress } = node as Zstd; // Node added both functions in the same release
  return [['zstd', { compress: promisify(zstdCompress), createStream: createZstdCompress }]];
}

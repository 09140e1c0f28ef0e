import { defineErrorCodes, type ErrorCodes } from '#core/coded-error';
import type { RequestSource } from '#core/http';
import type { ForeignRequest } from '../watch/foreign-message.js';

const table = {
  ATTACH_BODY_READ: {
    message:
      'A handler before toNodeHandler(), such as express.json(), has already read the body of {method} {path}.',
    fix: 'Mount toNodeHandler() before the body parser, or limit the parser to the paths that need it.',
  },
} as const;

export const attachErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/** Another server's request body. */
export interface ForeignBody extends NonNullable<RequestSource['body']> {
  /** Discards the unread rest after the response, because the next request on the connection waits behind it. */
  leave(): void;
}

/** Returns another server's request body; undefined if there is none. Reading throws `ATTACH_BODY_READ` if any part was read before. */
export function foreignBody(incoming: ForeignRequest): ForeignBody | undefined {
  if (!announcesBody(incoming)) return undefined;
  let reading: AsyncGenerator<Uint8Array, void> | undefined;
  return {
    chunks: () => (reading = chunksOf(incoming)),
    leave() {
      if (incoming.complete || incoming.destroyed) return;
      const resume = (): void => void incoming.resume();
      if (reading === undefined) resume();
      else reading.return().then(resume, resume);
    },
  };
}

/**
 * Returns whether a body follows: by the header fields (RFC 9112 section 6.3), or in HTTP/2 if the head did not end the
 * stream.
 */
function announcesBody(incoming: ForeignRequest): boolean {
  const { headers } = incoming;
  if (headers['content-length'] !== undefined) return Number(headers['content-length']) !== 0;
  if (incoming.httpVersionMajor < 2) return headers['transfer-encoding'] !== undefined;
  return 'stream' in incoming && !incoming.stream.endAfterHeaders;
}

async function* chunksOf(incoming: ForeignRequest): AsyncGenerator<Uint8Array, void> {
  const declared = incoming.headers['content-length'];
  // With a declared length, a body that was read and put back (`unshift`) is still complete.
  if (incoming.readableEnded || (declared === undefined && incoming.readableDidRead))
    throw alreadyRead(incoming);
  const isBegun = incoming.readableDidRead;
  let total = 0;
  const chunks: AsyncIterable<Uint8Array> = incoming.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    total += chunk.byteLength;
    yield chunk;
  }
  if (isBegun && total < Number(declared)) throw alreadyRead(incoming);
}

function alreadyRead({ method = '', url = '' }: ForeignRequest): Error {
  const [path = ''] = url.slice(0, 300).split('?', 1);
  return attachErrors.create('ATTACH_BODY_READ', { method, path });
}

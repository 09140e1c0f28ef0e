import type { ResponseBody } from './response-body.js';

/** Bytes of a body that is at hand; 0 of one that is still to be produced. */
export function sizeOfBody(body: ResponseBody): number {
  return typeof body === 'string' || body instanceof Uint8Array ? Buffer.byteLength(body) : 0;
}

import type { HttpResponse } from '../../response/http-response.js';
import type { Framing } from './header-block.js';

/** How the response is delimited. `streaming` is what a body of unknown length gets: chunked, or the end of the connection. */
export function frameResponse(response: HttpResponse, method: string, streaming: Framing): Framing {
  const { status, body } = response;
  if (status === 204 || status === 304) return { kind: 'none' };
  if (status === 205) return { kind: 'length', length: 0 };
  if (typeof body === 'string') return { kind: 'length', length: Buffer.byteLength(body) };
  if (body instanceof Uint8Array) return { kind: 'length', length: body.byteLength };
  const declared = declaredLength(response);
  if (declared !== undefined && (body !== null || method === 'HEAD'))
    return { kind: 'length', length: declared };
  if (body === null) return method === 'HEAD' ? { kind: 'none' } : { kind: 'length', length: 0 };
  return method === 'HEAD' ? { kind: 'none' } : streaming;
}

function declaredLength(response: HttpResponse): number | undefined {
  const value = response.headers.get('content-length');
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

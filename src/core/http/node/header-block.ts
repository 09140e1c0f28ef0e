import type { HttpResponse } from '../response/http-response.js';
import { sameName } from '../headers/request-headers.js';

/** How the body is delimited on the wire. */
export type Framing =
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'close' }
  | { readonly kind: 'none' };

const hopByHopHeaders =
  'connection keep-alive transfer-encoding content-length upgrade trailer proxy-connection date'.split(' ');

function isHopByHop(name: string): boolean {
  for (const one of hopByHopHeaders) if (sameName(one, name)) return true;
  return false;
}

/** Returns the response's fields without those that only the server sets, such as Connection and Date. */
export function ownFields(response: HttpResponse): string[] {
  const { flat } = response.headers;
  const block: string[] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    const name = flat[index] ?? '';
    if (isHopByHop(name)) continue;
    block.push(name, flat[index + 1] ?? '');
  }
  return block;
}

/**
 * Returns the header block of an HTTP/1.1 response as alternating names and values. `keepAlive` is the value of
 * Keep-Alive; undefined closes the connection. A 426 names the required protocol in `Upgrade`, with the `Connection:
 * Upgrade` that it needs (RFC 9110 sections 7.8, 15.5.22).
 */
export function headerBlock(
  response: HttpResponse,
  framing: Framing,
  keepAlive: string | undefined,
): string[] {
  const block = ownFields(response);
  const upgrade = response.status === 426 ? response.headers.get('upgrade') : undefined;
  if (upgrade !== undefined) block.push('Upgrade', upgrade);
  block.push('Date', httpDate());
  if (keepAlive !== undefined) block.push('Keep-Alive', keepAlive);
  if (framing.kind === 'length') block.push('Content-Length', String(framing.length));
  else if (framing.kind === 'chunked') block.push('Transfer-Encoding', 'chunked');
  const persistence = keepAlive === undefined ? 'close' : 'keep-alive';
  block.push('Connection', upgrade === undefined ? persistence : `${persistence}, Upgrade`);
  return block;
}

/** Returns status line and header block as text (RFC 9112, section 2.1). `fields` alternates names and checked values. */
export function headText(status: number, reason: string, fields: readonly string[]): string {
  let text = `HTTP/1.1 ${status} ${reason}\r\n`;
  for (let at = 0; at < fields.length; at += 2) text += `${fields[at]}: ${fields[at + 1]}\r\n`;
  return text + '\r\n';
}

let currentDate = ''; // cached for one second; empty when outdated

/** Returns the value of Date (RFC 9110 section 5.6.7), computed once per second: reading the clock costs more than the rest. */
export function httpDate(): string {
  if (currentDate === '') {
    const now = new Date();
    currentDate = now.toUTCString();
    setTimeout(forget, 1000 - now.getUTCMilliseconds()).unref();
  }
  return currentDate;
}

function forget(): void {
  currentDate = '';
}

/** Returns how the response is delimited. `streaming` is used for a body of unknown length: chunked, or closing the connection. */
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

import type { HttpResponse } from '../../response/http-response.js';
import { sameName } from '../../headers/same-name.js';
import { httpDate } from './http-date.js';

/** How the body is delimited on the wire. */
export type Framing =
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'close' }
  | { readonly kind: 'none' };

const hopByHopHeaders = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'trailer',
  'proxy-connection',
  'date',
] as const;
const maxHopByHopLength = Math.max(...hopByHopHeaders.map((name) => name.length));
/** The same by their lengths, by which most names are distinguished. */
const hopByHopByLength: readonly (readonly string[])[] = Array.from(
  { length: maxHopByHopLength + 1 },
  (_, length) => hopByHopHeaders.filter((name) => name.length === length),
);

function isHopByHop(name: string): boolean {
  const candidates = name.length <= maxHopByHopLength ? hopByHopByLength[name.length] : undefined;
  if (candidates !== undefined)
    for (const candidate of candidates) if (sameName(candidate, name)) return true;
  return false;
}

/** The response's own fields: those that belong to the connection are the server's to set. */
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
 * The header block of an HTTP/1.1 answer, as it is given to Node. `keepAlive` is the header's value; undefined closes. A 426
 * names the protocol that it wants in `Upgrade`, with the `Connection: Upgrade` that belongs to it (RFC 9110 7.8, 15.5.22).
 */
export function headerBlock(
  response: HttpResponse,
  framing: Framing,
  options: { readonly keepAlive: string | undefined },
): string[] {
  const block = ownFields(response);
  const upgrade = response.status === 426 ? response.headers.get('upgrade') : undefined;
  if (upgrade !== undefined) block.push('Upgrade', upgrade);
  block.push('Date', httpDate());
  if (options.keepAlive !== undefined) block.push('Keep-Alive', options.keepAlive);
  if (framing.kind === 'length') block.push('Content-Length', String(framing.length));
  else if (framing.kind === 'chunked') block.push('Transfer-Encoding', 'chunked');
  const persistence = options.keepAlive === undefined ? 'close' : 'keep-alive';
  block.push('Connection', upgrade === undefined ? persistence : `${persistence}, Upgrade`);
  return block;
}

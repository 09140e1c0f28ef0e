import type { Socket } from 'node:net';
import type { PeerCertificate as ShownCertificate, TLSSocket } from 'node:tls';
import type { Peer, PeerCertificate } from './request-source.js';

/** Returns the remote end of a socket. */
export function peerOf(socket: Socket): Peer {
  return Object.freeze({
    address: socket.remoteAddress,
    port: socket.remotePort ?? 0,
    encrypted: 'encrypted' in socket && socket.encrypted === true,
    certificate: readPeerCertificate(socket),
  });
}

/**
 * Returns the verified certificate of the client, signed by an authority of `TLS_CLIENT_CA`; undefined if it sent none
 * or another one. `authorized` is not enough: a resumed connection is authorized without a certificate.
 */
function readPeerCertificate(socket: Socket): PeerCertificate | undefined {
  if (!('authorized' in socket) || socket.authorized !== true) return undefined;
  const tls = socket as TLSSocket; // only TLS sockets can be authorized
  // Null if the socket is destroyed, and empty without a certificate.
  const shown = tls.getPeerCertificate() as Partial<ShownCertificate> | null; // Node's types omit both cases
  const { subject, serialNumber, fingerprint256, valid_to: validTo } = shown ?? {};
  if (subject === undefined || serialNumber === undefined || fingerprint256 === undefined) return undefined;
  return {
    subject: new Map(Object.entries(subject).map(([name, value]) => [name, [value].flat().map(String)])),
    alternativeNames: shown?.subjectaltname,
    serialNumber,
    fingerprint256,
    validTo: Date.parse(validTo ?? ''),
  };
}

/** Returns alternating names and values without HTTP/2's pseudo-header fields (RFC 9113 section 8.3.1). */
export function withoutPseudoHeaders(raw: readonly string[]): string[] {
  const fields: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? '';
    if (!name.startsWith(':')) fields.push(name, raw[index + 1] ?? '');
  }
  return fields;
}

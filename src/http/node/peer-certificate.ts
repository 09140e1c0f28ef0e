import type { Socket } from 'node:net';
import type { PeerCertificate as ShownCertificate, TLSSocket } from 'node:tls';
import type { PeerCertificate } from '../source/request-source.js';

/**
 * The certificate that the other end proved to hold and that an authority of `TLS_CLIENT_CA` signed; undefined where
 * it showed none or another one. A connection that was resumed counts as authorized without any, so it is looked at.
 */
export function readPeerCertificate(socket: Socket): PeerCertificate | undefined {
  if (!('authorized' in socket) || socket.authorized !== true) return undefined;
  const tls = socket as TLSSocket; // only TLS sockets are authorized
  // Null when the socket is gone, and empty without a certificate.
  const shown = tls.getPeerCertificate() as Partial<ShownCertificate> | null; // Node's types know neither
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

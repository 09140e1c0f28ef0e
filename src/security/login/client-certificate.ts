import type { HttpRequest } from '#http';
import type { Authenticator } from '../authentication/authenticator.js';

export interface ClientCertificateOptions {
  /**
   * The identifier in the client's certificate, or undefined where there is none that was verified. Default: the
   * `emailAddress` (else `CN`) of the subject that a trusted proxy wrote into a header after verifying it.
   */
  readonly identify?: (request: HttpRequest) => string | undefined;
  /** Header with the proxy's verdict, which has to be `SUCCESS`. Default `X-SSL-Client-Verify`. */
  readonly verifyHeader?: string;
  /** Header with the subject (RFC 4514, or with slashes). Default `X-SSL-Client-S-DN`. */
  readonly subjectHeader?: string;
}

/**
 * Whoever holds a client certificate. TLS ends at a proxy: its headers are believed only where the peer is a trusted
 * proxy (`TRUSTED_PROXIES`), and the proxy must remove those that clients send.
 */
export function clientCertificate(options: ClientCertificateOptions = {}): Authenticator {
  const verifyHeader = options.verifyHeader ?? 'X-SSL-Client-Verify';
  const subjectHeader = options.subjectHeader ?? 'X-SSL-Client-S-DN';
  const fromProxy = (request: HttpRequest): string | undefined => {
    if (request.trust?.isTrustedProxy(request.peer.address) !== true) return undefined;
    if (request.headers.get(verifyHeader) !== 'SUCCESS') return undefined;
    return parseSubject(request.headers.get(subjectHeader) ?? '');
  };
  const identify = options.identify ?? fromProxy;
  return {
    name: 'client-certificate',
    isInteractive: false,
    supports: (request) => identify(request) !== undefined,
    authenticate: (request) => ({ identifier: identify(request) ?? '', badges: [] }),
  };
}

/** `emailAddress` or else `CN` of a distinguished name; undefined where it holds several, or an escape. */
export function parseSubject(subject: string): string | undefined {
  if (subject.length > 1000 || subject.includes('\\') || subject.includes('"')) return undefined;
  const values = new Map<string, string[]>();
  for (const part of subject.split(subject.startsWith('/') ? '/' : ',')) {
    const equals = part.indexOf('=');
    if (equals === -1) continue;
    const name = part.slice(0, equals).trim().toLowerCase();
    values.set(name, [...(values.get(name) ?? []), part.slice(equals + 1).trim()]);
  }
  const found = values.get('emailaddress') ?? values.get('cn') ?? [];
  return found.length === 1 && found[0] !== '' ? found[0] : undefined;
}

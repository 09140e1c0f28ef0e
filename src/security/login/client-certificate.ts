import { type OptionNames, refuseUnknownOptions } from '#coded-error';
import type { HttpRequest } from '#http';
import type { Authenticator } from '../authentication/authenticator.js';

interface ClientCertificateOptions {
  /**
   * Returns the identifier in the certificate of the client, or undefined if there is no verified certificate. Default: the
   * `emailAddress` (otherwise `CN`) of the subject in `request.peer.certificate`; for a trusted proxy, of the subject in the
   * header that the proxy has set after verifying the certificate.
   */
  readonly identify?: (request: HttpRequest) => string | undefined;
  /** Header with the verification result of the proxy, which must be `SUCCESS`. Default `X-SSL-Client-Verify`. */
  readonly verifyHeader?: string;
  /** Header with the subject (RFC 4514, or with slashes). Default `X-SSL-Client-S-DN`. */
  readonly subjectHeader?: string;
}

const clientCertificateOptionNames: OptionNames<ClientCertificateOptions> = {
  identify: true,
  verifyHeader: true,
  subjectHeader: true,
};

/**
 * Authenticates requests with a client certificate, verified by lookback's server (`TLS_CLIENT_CA`) or, if TLS ends at a
 * proxy, by the proxy. The headers are only used if the peer is a trusted proxy (`TRUSTED_PROXIES`), which must remove
 * headers of the same names that clients send. The proxy's own certificate is ignored.
 */
export function clientCertificate(options: ClientCertificateOptions = {}): Authenticator {
  refuseUnknownOptions('clientCertificate()', options, clientCertificateOptionNames);
  const verifyHeader = options.verifyHeader ?? 'X-SSL-Client-Verify';
  const subjectHeader = options.subjectHeader ?? 'X-SSL-Client-S-DN';
  const find = (request: HttpRequest): string | undefined => {
    const { address } = request.peer;
    const isProxy = address !== undefined && request.trust?.isTrustedProxy(address) === true;
    if (!isProxy) return fromSocket(request.peer);
    if (request.headers.get(verifyHeader) !== 'SUCCESS') return undefined;
    return parseSubject(request.headers.get(subjectHeader) ?? '');
  };
  const identify = options.identify ?? find;
  return {
    name: 'client-certificate',
    isInteractive: false,
    isAmbient: true,
    scheme: { type: 'mutualTLS' },
    supports: (request) => identify(request) !== undefined,
    authenticate: (request) => ({ identifier: identify(request) ?? '', badges: [] }),
  };
}

/**
 * Reads the identifier from the certificate of the connection; undefined if the certificate has expired since the
 * handshake.
 */
function fromSocket({ certificate }: HttpRequest['peer']): string | undefined {
  if (certificate === undefined || !(certificate.validTo > Date.now())) return undefined;
  const { subject } = certificate;
  const found = subject.get('emailAddress') ?? subject.get('CN') ?? [];
  const [name = ''] = found;
  return found.length === 1 && /^[^\p{Cc}]{1,1000}$/u.test(name) ? name : undefined;
}

/**
 * Returns the `emailAddress`, otherwise the `CN`, of a distinguished name; undefined if it has several of them or
 * contains escapes.
 */
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

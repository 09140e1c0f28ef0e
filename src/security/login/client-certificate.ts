import type { HttpRequest } from '#http';
import type { Authenticator } from '../authentication/authenticator.js';

export interface ClientCertificateOptions {
  /**
   * The identifier in the client's certificate, or undefined where there is none that was verified. Default: the
   * `emailAddress` (else `CN`) of the subject in `request.peer.certificate`; from a trusted proxy, of the subject that
   * it wrote into a header after verifying it.
   */
  readonly identify?: (request: HttpRequest) => string | undefined;
  /** Header with the proxy's verdict, which has to be `SUCCESS`. Default `X-SSL-Client-Verify`. */
  readonly verifyHeader?: string;
  /** Header with the subject (RFC 4514, or with slashes). Default `X-SSL-Client-S-DN`. */
  readonly subjectHeader?: string;
}

/**
 * Login with a client certificate, verified by lookback's server (`TLS_CLIENT_CA`) or, if TLS ends at a proxy, by the
 * proxy. Headers count only if the peer is a trusted proxy (`TRUSTED_PROXIES`), which must remove those that clients
 * send; the proxy's own certificate is not a login.
 */
export function clientCertificate(options: ClientCertificateOptions = {}): Authenticator {
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

/** Of a connection that outlived its certificate nothing is believed any more. */
function fromSocket({ certificate }: HttpRequest['peer']): string | undefined {
  if (certificate === undefined || !(certificate.validTo > Date.now())) return undefined;
  const { subject } = certificate;
  const found = subject.get('emailAddress') ?? subject.get('CN') ?? [];
  const [name = ''] = found;
  return found.length === 1 && /^[^\p{Cc}]{1,1000}$/u.test(name) ? name : undefined;
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

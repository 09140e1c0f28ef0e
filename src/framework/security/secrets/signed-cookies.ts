import { createHash, randomBytes, timingSafeEqual, createHmac } from 'node:crypto';
import {
  checkOptions,
  checkValue,
  either,
  listOf,
  number,
  optionsSchema,
  type OptionsSchema,
  type OptionType,
  required,
  secret,
  text,
  whole,
} from '#core/options';
import { type CookieOptions, type HttpRequest, type HttpResponse, renderCookie } from '#core/http';
import { securityErrors } from './error-codes.js';

const tokenSize = whole({ min: 1, max: 65_536, unit: 'bytes' });

/** Returns random bytes as base64url; 32 bytes cannot be guessed. */
export function randomToken(bytes = 32): string {
  checkValue('randomToken()', 'bytes', bytes, tokenSize);
  return randomBytes(bytes).toString('base64url');
}

/** Returns a secret's hash for storage: someone who reads the store cannot use the hash as the secret. */
export function hashToken(token: string): string {
  checkValue('hashToken()', 'token', token, secret(text));
  return createHash('sha256').update(token).digest('base64url');
}

/** Compares two texts in constant time: the duration does not reveal where they differ or how long they are. */
export function equalSecrets(left: string, right: string): boolean {
  return isSame(hashToken(left), hashToken(right));
}

/** Signs texts with HMAC-SHA256. A signature for one purpose is not valid for another. */
export interface Signer {
  sign(purpose: string, text: string): string;
  verify(purpose: string, text: string, signature: string): boolean;
}

const minSecretLength = 32;

/** The type of options that are signing secrets; their length is checked with a separate code. */
export const signingSecret: OptionType<string | readonly string[]> = secret(
  either(text, listOf(secret(text))),
);

/**
 * Creates a signer: the first secret signs, all verify, so that secrets can be rotated. Throws `SECURITY_WEAK_SECRET`.
 */
export function createSigner(secrets: string | readonly string[], what: string): Signer {
  const keys = typeof secrets === 'string' ? [secrets] : secrets;
  const [first] = keys;
  if (first === undefined) throw securityErrors.create('SECURITY_SECRET_MISSING', { what });
  for (const { length } of keys) {
    if (length < minSecretLength) throw securityErrors.create('SECURITY_WEAK_SECRET', { what, length });
  }
  return {
    sign: (purpose, text) => signature(first, purpose, text),
    verify(purpose, text, given) {
      let valid = false;
      for (const key of keys) valid = isSame(signature(key, purpose, text), given) || valid;
      return valid;
    },
  };
}

function signature(key: string, purpose: string, text: string): string {
  // The length prefix distinguishes "ab" + "c" from "a" + "bc".
  return createHmac('sha256', key).update(`${purpose.length}:${purpose}:${text}`).digest('base64url');
}

/** Compares signatures in constant time; their length is not secret. */
function isSame(signature: string, given: string): boolean {
  const [expected, bytes] = [Buffer.from(signature), Buffer.from(given)];
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}

interface SignedCookiesOptions {
  /** Secret for signing values: at least 32 random characters. With several, the first signs and all verify. */
  readonly secret: string | readonly string[];
  /**
   * Seconds until a value is no longer accepted, even if the browser still sends it. Default 2,592,000: thirty days.
   */
  readonly lifetimeSeconds?: number;
}

export const signedCookiesSchema: OptionsSchema<SignedCookiesOptions> = optionsSchema<SignedCookiesOptions>({
  secret: required(signingSecret),
  lifetimeSeconds: number({ min: 1, unit: 'seconds' }),
});

export interface SignedCookie extends Omit<CookieOptions, 'maxAge' | 'expires'> {
  readonly name: string;
  readonly value: string;
  /** Seconds until the value expires. Default: the lifetime passed to `createSignedCookies`. */
  readonly lifetimeSeconds?: number;
}

/**
 * Cookies that the client can read but not change. A value is bound to its cookie's name and expiry time. It is not
 * secret, and an earlier value can be sent again until it expires: store sensitive data in the session.
 */
export interface SignedCookies {
  /** Returns the value if the signature is valid and the value has not expired; otherwise undefined. */
  get(request: HttpRequest, name: string): string | undefined;
  /**
   * Sets a cookie, by default with `HttpOnly`, `SameSite=Lax`, `Path=/` or the base path, and on HTTPS `Secure`. Throws
   * `SECURITY_COOKIE_TOO_BIG`.
   */
  set(request: HttpRequest, response: HttpResponse, cookie: SignedCookie): void;
  /** Removes the cookie. Path and domain must be the same as when it was set. */
  remove(
    request: HttpRequest,
    response: HttpResponse,
    cookie: CookieOptions & Pick<SignedCookie, 'name'>,
  ): void;
}

/** Maximum size of a cookie that browsers must store, including its name (RFC 6265 section 6.1). */
const maxCookieBytes = 4096;

export function createSignedCookies(options: SignedCookiesOptions): SignedCookies {
  checkOptions('createSignedCookies()', options, signedCookiesSchema);
  const signer = createSigner(options.secret, 'createSignedCookies');
  const lifetime = options.lifetimeSeconds ?? 2_592_000;
  return {
    get(request, name) {
      const text = request.cookies.get(name) ?? '';
      const [, signed = '', end, value = '', signature = ''] =
        /^((\d{1,15})\.([\w-]*))\.([\w-]{43})$/.exec(text) ?? [];
      if (!signer.verify(`cookie ${name}`, signed, signature) || Number(end) <= Date.now()) return undefined;
      return Buffer.from(value, 'base64url').toString();
    },
    set(request, response, { name, value, lifetimeSeconds: maxAge = lifetime, ...more }) {
      const signed = `${Date.now() + maxAge * 1000}.${Buffer.from(value).toString('base64url')}`;
      const text = `${signed}.${signer.sign(`cookie ${name}`, signed)}`;
      const bytes = name.length + text.length + 1;
      if (bytes > maxCookieBytes)
        throw securityErrors.create('SECURITY_COOKIE_TOO_BIG', { name, bytes, limit: maxCookieBytes });
      response.setCookie(name, text, { ...defaultsFor(request), ...more, maxAge });
    },
    remove(request, response, { name, ...more }) {
      response.clearCookie(name, { ...defaultsFor(request), ...more });
    },
  };
}

function defaultsFor({ scheme, basePath }: HttpRequest): CookieOptions {
  return { secure: scheme === 'https', path: basePath === '' ? '/' : basePath };
}

/**
 * Returns the cookie name; on HTTPS with `__Host-`, which browsers accept only from this host (RFC 6265bis 4.1.3.2).
 * Below a base path, the cookie has that path, so that the host's other applications do not receive it; the prefix
 * forbids this.
 */
export function hostCookieName(
  { scheme, basePath }: Pick<HttpRequest, 'scheme' | 'basePath'>,
  name: string,
): string {
  return scheme === 'https' && basePath === '' ? `__Host-${name}` : name;
}

/** A cookie used by security. On HTTPS it is `Secure`, and bound to this host unless a domain or a path is set. */
export class HostCookie {
  readonly #name: string;
  readonly #attributes: CookieOptions;

  constructor(name: string, attributes: CookieOptions = {}) {
    this.#name = name;
    this.#attributes = attributes;
  }

  read(request: HttpRequest): string | undefined {
    return request.cookies.get(this.#nameFor(request));
  }

  render(request: HttpRequest, value: string, more: CookieOptions = {}): string {
    const { path = '/', partitioned = false } = this.#attributes;
    const { basePath } = request;
    const attributes = {
      ...this.#attributes,
      path: basePath === '' ? path : `${basePath}${path === '/' ? '' : path}`,
      secure: request.scheme === 'https',
      partitioned: partitioned && request.scheme === 'https',
      ...more,
    };
    return renderCookie(this.#nameFor(request), value, attributes);
  }

  /** Returns the Set-Cookie value that removes the cookie. */
  renderRemoval(request: HttpRequest): string {
    return this.render(request, '', { maxAge: 0 });
  }

  #nameFor(request: HttpRequest): string {
    const { domain, path = '/' } = this.#attributes;
    return domain === undefined && path === '/' ? hostCookieName(request, this.#name) : this.#name;
  }
}

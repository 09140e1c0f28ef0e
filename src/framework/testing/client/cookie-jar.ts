interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** Whether the cookie is sent to a host. */
  readonly isFor: (host: string) => boolean;
}

const everyHost = (): boolean => true;

/** One client's current cookies, without removed and expired ones. */
export class CookieJar {
  /** Cookies by name and path (RFC 6265 section 5.3). */
  readonly #cookies = new Map<string, Cookie>();

  /** Returns the `Cookie` header for a host's path, cookies with longer paths first; undefined if there are none. */
  header(path: string, host = 'localhost'): string | undefined {
    const sent = [...this.#cookies.values()]
      .filter((cookie) => fits(path, cookie.path) && cookie.isFor(host))
      .sort((one, other) => other.path.length - one.path.length);
    return sent.length === 0 ? undefined : sent.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  get(name: string): string | undefined {
    return [...this.#cookies.values()].find((cookie) => cookie.name === name)?.value;
  }

  set(name: string, value: string): void {
    this.#cookies.set(`${name} /`, { name, value, path: '/', isFor: everyHost }); // replaced by the application's cookie
  }

  clear(): void {
    this.#cookies.clear();
  }

  /**
   * Applies a host's `Set-Cookie` value (RFC 6265 section 5.3): removes an expired cookie, and ignores one for a
   * `Domain` that the host does not belong to.
   */
  keep(setCookie: string, host = 'localhost'): void {
    const [pair = '', ...attributes] = setCookie.split(';');
    const split = pair.indexOf('=');
    const name = pair.slice(0, Math.max(split, 0)).trim();
    if (name === '') return;
    const named = new Map(
      attributes.map((attribute) => {
        const [key = '', ...value] = attribute.split('=');
        return [key.trim().toLowerCase(), value.join('=').trim()];
      }),
    );
    const given = named.get('path') ?? '';
    const path = given.startsWith('/') ? given : '/';
    const domain = (named.get('domain') ?? '').replace(/^\./, '').toLowerCase();
    if (domain !== '' && !belongs(host, domain)) return;
    const key = `${name} ${path}${host === 'localhost' && domain === '' ? '' : ` ${domain || host}`}`;
    const isFor = (other: string): boolean => (domain === '' ? other === host : belongs(other, domain));
    if (isOver(named)) this.#cookies.delete(key);
    else this.#cookies.set(key, { name, value: pair.slice(split + 1).trim(), path, isFor });
  }
}

function belongs(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

function isOver(attributes: ReadonlyMap<string, string>): boolean {
  const maxAge = attributes.get('max-age') ?? '';
  if (/^-?\d+$/.test(maxAge)) return Number(maxAge) <= 0;
  const expires = attributes.get('expires');
  return expires !== undefined && Date.parse(expires) <= Date.now();
}

function fits(path: string, cookiePath: string): boolean {
  return path === cookiePath || path.startsWith(cookiePath.endsWith('/') ? cookiePath : `${cookiePath}/`);
}

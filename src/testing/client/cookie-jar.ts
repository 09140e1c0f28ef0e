/** The cookies of one client: as many as the application set and neither removed nor let expire. */
export class CookieJar {
  readonly #cookies = new Map<string, { readonly value: string; readonly path: string }>();

  /** The `Cookie` header for a path; undefined where there is none to send. */
  header(path: string): string | undefined {
    const sent = [...this.#cookies].filter(([, cookie]) => fits(path, cookie.path));
    return sent.length === 0 ? undefined : sent.map(([name, { value }]) => `${name}=${value}`).join('; ');
  }

  get(name: string): string | undefined {
    return this.#cookies.get(name)?.value;
  }

  set(name: string, value: string): void {
    this.#cookies.set(name, { value, path: '/' });
  }

  clear(): void {
    this.#cookies.clear();
  }

  /** Keeps what `Set-Cookie` says (RFC 6265, section 5.3); `Max-Age` and `Expires` in the past remove. */
  keep(setCookie: string): void {
    const [pair = '', ...attributes] = setCookie.split(';');
    const split = pair.indexOf('=');
    if (split < 1) return;
    const name = pair.slice(0, split).trim();
    const named = new Map(
      attributes.map((attribute) => {
        const [key = '', ...value] = attribute.split('=');
        return [key.trim().toLowerCase(), value.join('=').trim()];
      }),
    );
    const path = named.get('path') ?? '/';
    if (isOver(named)) this.#cookies.delete(name);
    else this.#cookies.set(name, { value: pair.slice(split + 1).trim(), path });
  }
}

function isOver(attributes: ReadonlyMap<string, string>): boolean {
  const maxAge = attributes.get('max-age');
  if (maxAge !== undefined) return Number(maxAge) <= 0;
  const expires = attributes.get('expires');
  return expires !== undefined && Date.parse(expires) <= Date.now();
}

function fits(path: string, cookiePath: string): boolean {
  return path === cookiePath || path.startsWith(cookiePath.endsWith('/') ? cookiePath : `${cookiePath}/`);
}

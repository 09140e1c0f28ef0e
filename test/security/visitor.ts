import { type App, HttpRequest } from 'lookback';

/** A response, as a browser would see it. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly location: string | undefined;
  /** Set-Cookie values as sent. */
  readonly setCookies: readonly string[];
  header(name: string): string | undefined;
}

export interface Visit {
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** The `Sec-Fetch-Site` value. Default `same-origin`; undefined sends none. */
  readonly site?: string | undefined;
}

export interface VisitorOptions {
  readonly address?: string;
  readonly encrypted?: boolean;
  readonly host?: string;
}

/** A browser with a cookie jar, without a socket: requests go to `app.handle`. */
export class Visitor {
  readonly cookies: Map<string, string> = new Map<string, string>();
  readonly #app: Pick<App, 'handle'>;
  readonly #options: VisitorOptions;

  constructor(app: Pick<App, 'handle'>, options: VisitorOptions = {}) {
    this.#app = app;
    this.#options = options;
  }

  get(target: string, visit: Visit = {}): Promise<Answer> {
    return this.send('GET', target, visit);
  }

  post(target: string, visit: Visit = {}): Promise<Answer> {
    return this.send('POST', target, visit);
  }

  /** Posts the login form. */
  logIn(username: string, password: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.post('/login', { form: { _username: username, _password: password, ...more } });
  }

  async send(method: string, target: string, visit: Visit = {}): Promise<Answer> {
    const response = await this.#app.handle(this.request(method, target, visit));
    const setCookies = response.headers.getAll('set-cookie');
    for (const cookie of setCookies) this.#keep(cookie);
    return {
      status: response.status,
      body: typeof response.body === 'string' ? response.body : '',
      location: response.headers.get('location'),
      setCookies,
      header: (name) => response.headers.get(name),
    };
  }

  request(method: string, target: string, visit: Visit = {}): HttpRequest {
    const { address = '127.0.0.1', encrypted = false, host = 'localhost:8000' } = this.#options;
    const headers: Record<string, string> = { Host: host, Accept: 'text/html', ...visit.headers };
    const site = 'site' in visit ? visit.site : 'same-origin';
    if (site !== undefined) headers['Sec-Fetch-Site'] = site;
    const jar = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    if (jar !== '') headers['Cookie'] ??= jar;
    const body = bodyOf(visit, headers);
    return new HttpRequest({
      method,
      target,
      rawHeaders: Object.entries(headers).flat(),
      httpVersion: '1.1',
      peer: { address, port: 5000, encrypted },
      ...(body === undefined ? {} : { body: { chunks: () => once(body) } }),
    });
  }

  #keep(cookie: string): void {
    const [pair = ''] = cookie.split(';');
    const name = pair.slice(0, pair.indexOf('='));
    if (/; Max-Age=0(?:;|$)/.test(cookie)) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(pair.indexOf('=') + 1));
  }
}

function bodyOf(visit: Visit, headers: Record<string, string>): Uint8Array | undefined {
  if (visit.form !== undefined) {
    headers['Content-Type'] ??= 'application/x-www-form-urlencoded';
    return Buffer.from(new URLSearchParams(visit.form).toString());
  }
  if (visit.json === undefined) return undefined;
  headers['Content-Type'] ??= 'application/json';
  return Buffer.from(JSON.stringify(visit.json));
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import { DatabaseSync } from '@photostructure/sqlite';
import Fastify from 'fastify';
import { createApp, HttpResponse } from 'lookback';
import { lookback } from 'lookback/express';
import { lookback as lookbackFastify } from 'lookback/fastify';
import { recordQueries } from 'lookback/instrumentation';
import {
  ask,
  connectTo,
  openTransport,
  tlsFiles,
  type OpenAnswer,
  type Transport,
  type TransportName,
  transportNames,
} from '../integration/http/transports.js';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
type Fields = Readonly<Record<string, string>>;
type Asking = Readonly<{ headers?: Fields; body?: string }>;
/** Sends one request over any transport, because `fetch` would not let a test set the header fields that browsers set. */
type Ask = (method: string, path: string, init?: Asking) => Promise<Answer>;

const askOver =
  (transport: Pick<Transport, 'open'>): Ask =>
  async (method, path, init = {}) => {
    const { status, headers, body } = await ask(transport, { method, path, ...init });
    const names = new Set(headers.map(([name]) => name));
    const values = (name: string): string[] =>
      headers.flatMap(([other, value]) => (other === name ? [value] : []));
    const joined = [...names].map((name) => [
      name,
      name === 'set-cookie' ? values(name) : values(name).join(', '),
    ]);
    return { status, headers: Object.fromEntries(joined) as IncomingHttpHeaders, body }; // the fields by name
  };

/** A browser without scripts that sends the origin of its forms. */
class Browser {
  readonly #ask: Ask;
  readonly #origin: string;
  cookie = '';

  constructor(ask: Ask, origin: string) {
    this.#ask = ask;
    this.#origin = origin;
  }

  open(path: string): Promise<Answer> {
    const headers: Fields = this.cookie === '' ? {} : { Cookie: this.cookie };
    return this.#ask('GET', path, { headers });
  }

  submit(path: string, fields: Fields, headers: Fields = {}): Promise<Answer> {
    return this.#ask('POST', path, {
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Origin: this.#origin,
        'Sec-Fetch-Site': 'same-origin',
        Cookie: this.cookie,
        ...headers,
      },
      body: new URLSearchParams(fields).toString(),
    });
  }
}

function formOf({ body }: Answer, action: string): Fields {
  const form = body.split('<form').find((part) => part.includes(`action="${action}"`)) ?? '';
  return Object.fromEntries(
    [...form.matchAll(/type="hidden" name="(\w+)" value="([\w=-]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  );
}

interface Running {
  readonly transport: Pick<Transport, 'open'>;
  readonly origin: string;
  readonly hits: string[];
  close(): Promise<void>;
}
interface Subject {
  readonly name: string;
  start(): Promise<Running>;
}

const page =
  '<!doctype html><html lang="en"><head><title>Articles</title></head><body><h1>Articles</h1></body></html>';

const database = recordQueries(new DatabaseSync(':memory:'));
database.exec('create table people (name text, password text); create index by_name on people (name)');
/** A query with a value, one whose value is a secret, and one that writes. */
const askPeople = (): unknown => {
  database.prepare('select password from people where name = ?').all('Ann');
  database.prepare('select name from people where password = ?').all('hunter2');
  database.prepare('insert into people (name, password) values (?, ?)').run('Ben', 'hunter2');
  return {};
};
const textOf = (body: unknown): string => (typeof body === 'string' ? body : '');

const ownApplication = (name: TransportName): Subject => ({
  name: `an application, ${name}`,
  async start() {
    const hits: string[] = [];
    const tls = name === 'TLS' || name === 'HTTP/2' ? { tls: tlsFiles } : {};
    const app = createApp({
      logHandlers: [],
      configuration: { debug: true, profilerStore: 'memory:', host: '127.0.0.1', ...tls },
    });
    app.get('/articles', ({ request }) => {
      hits.push(`GET ${request.headers.get('cookie') ?? ''}`);
      return { articles: [] };
    });
    app.post('/articles', async ({ request }) => {
      hits.push(`POST ${await request.text()}`);
      return { created: true };
    });
    app.get('/page', () => HttpResponse.html(page));
    app.get('/people', askPeople);
    const transport = await openTransport(name, app);
    const origin = transport.origin;
    const close = async (): Promise<void> => {
      await transport.close();
      await app.close();
    };
    return { transport, origin, hits, close };
  },
});

/** A server of another framework, with the profiler in it. */
const attached = (
  name: string,
  listen: (hits: string[]) => Promise<{ port: number; close(): Promise<void> }>,
): Subject => ({
  name,
  async start() {
    const hits: string[] = [];
    const server = await listen(hits);
    const origin = `http://127.0.0.1:${server.port}`;
    const transport = connectTo('HTTP/1.1', origin);
    const close = async (): Promise<void> => {
      await transport.close();
      await server.close();
    };
    return { transport, origin, hits, close };
  },
});

const onExpress = (isParsed: boolean) => async (hits: string[]) => {
  const app = express();
  const watch = lookback({ store: 'memory:' });
  if (isParsed) app.use(express.urlencoded());
  app.use(watch);
  app.get('/articles', (request, response) => {
    hits.push(`GET ${request.headers.cookie ?? ''}`);
    response.json({ articles: [] });
  });
  app.post('/articles', express.text({ type: '*/*' }), (request, response) => {
    hits.push(`POST ${textOf(request.body)}`);
    response.json({ created: true });
  });
  app.get('/page', (_request, response) => void response.type('html').send(page));
  app.get('/people', (_request, response) => void response.json(askPeople()));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await watch.close();
  };
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, close };
};

const onFastify = async (hits: string[]) => {
  const app = Fastify({ forceCloseConnections: true });
  await app.register(lookbackFastify, { store: 'memory:' });
  app.addContentTypeParser(
    ['text/plain', 'application/json'],
    { parseAs: 'string' },
    (_request, body, done) => done(null, body),
  );
  app.get('/articles', async (request) => {
    hits.push(`GET ${request.headers.cookie ?? ''}`);
    return { articles: [] };
  });
  app.post('/articles', async (request) => {
    hits.push(`POST ${textOf(request.body)}`);
    return { created: true };
  });
  app.get('/people', (_request, reply) => reply.send(askPeople()));
  app.get('/page', (_request, reply) => reply.type('text/html').send(page));
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { port: Number(new URL(url).port), close: () => app.close() };
};

const subjects: readonly Subject[] = [
  ...transportNames.map(ownApplication),
  attached('Express', onExpress(false)),
  attached('Express, behind its body parser', onExpress(true)),
  attached('Fastify', onFastify),
];

for (const subject of subjects)
  describe(`actions of the profiler's pages: ${subject.name}`, () => {
    let running: Running;
    let asking: Ask;
    before(async () => {
      running = await subject.start();
      asking = askOver(running.transport);
    });
    after(() => running.close());

    const record = async (
      method: string,
      init: { headers?: Fields; body?: string } = {},
    ): Promise<string> => {
      const { headers } = await asking(method, '/articles', init);
      return String(headers['x-debug-token']);
    };
    const browser = (): Browser => new Browser(asking, running.origin);

    it("a GET is replayed immediately, with the browser's cookies, and links to the original", async () => {
      const token = await record('GET', { headers: { Cookie: 'session=withheld' } });
      const user = browser();
      user.cookie = 'session=mine';
      const page = await user.open(`/_profiler/${token}`);
      const path = `/_profiler/${token}/replay`;
      const answer = await user.submit(path, formOf(page, path));
      assert.equal(answer.status, 303, answer.body);
      assert.equal(running.hits.at(-1), 'GET session=mine');
      const location = String(answer.headers.location);
      assert.match(location, /^\/_profiler\/[0-9a-f]+$/);
      assert.notEqual(location, `/_profiler/${token}`);
      const replayed = await user.open(location);
      assert.ok(replayed.body.includes(`href="/_profiler/${token}">Replay of`), 'the link to the original');
    });

    it('a POST is replayed only after a confirmation page', async () => {
      const token = await record('POST', { headers: { 'Content-Type': 'text/plain' }, body: 'p' });
      const user = browser();
      const path = `/_profiler/${token}/replay`;
      const before = running.hits.length;
      const asked = await user.submit(path, formOf(await user.open(`/_profiler/${token}`), path));
      assert.equal(asked.status, 200, asked.body);
      assert.equal(running.hits.length, before, 'nothing was sent');
      assert.match(asked.body, /Send this request again\?[\s\S]*Body: 1 character</);
      const answer = await user.submit(path, formOf(asked, path));
      assert.equal(answer.status, 303, answer.body);
      assert.equal(running.hits.at(-1), 'POST p');
    });

    it('a request that the record does not hold completely is not sent', async () => {
      const token = await record('POST', {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ password: 'hunter2' }),
      });
      const user = browser();
      const path = `/_profiler/${token}/replay`;
      const before = running.hits.length;
      const fields = formOf(await user.open(`/_profiler/${token}`), path);
      const answer = await user.submit(path, { ...fields, confirmed: '1' });
      assert.equal(answer.status, 409);
      assert.match(answer.body, /secrets in the body/);
      assert.equal(running.hits.length, before);
    });

    it('a form from anywhere else is refused', async () => {
      const token = await record('GET');
      const user = browser();
      const path = `/_profiler/${token}/replay`;
      const fields = formOf(await user.open(`/_profiler/${token}`), path);
      const before = running.hits.length;
      const foreigners: [string, Fields][] = [
        ['another origin', { Origin: 'http://evil.example' }],
        ['an origin that is hidden', { Origin: 'null' }],
        ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
        ['another port of this host', { 'Sec-Fetch-Site': 'same-site' }],
      ];
      for (const [what, headers] of foreigners) {
        const answer = await user.submit(path, { ...fields, confirmed: '1' }, headers);
        assert.ok([403, 404, 405].includes(answer.status), `${what}: ${answer.status}`);
      }
      const silent = await asking('POST', path, {
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Cookie: user.cookie },
        body: new URLSearchParams(fields).toString(),
      });
      assert.equal(silent.status, 403, 'a client that does not name the origin of the form');
      assert.match(silent.body, /Nothing was done/);
      assert.equal(running.hits.length, before, 'nothing was sent');
      assert.equal((await user.submit(path, fields)).status, 303, "the page's own form still works");
    });

    it('a recorded query is explained by its index, and no other text reaches the database', async () => {
      const { headers } = await asking('GET', '/people');
      const token = String(headers['x-debug-token']);
      const user = browser();
      const path = `/_profiler/${token}/explain`;
      const panel = await user.open(`/_profiler/${token}?panel=db`);
      assert.equal(
        panel.body.split(`action="${path}#query-`).length - 1,
        2,
        'only read-only statements can be explained',
      );
      const fields = formOf(panel, `${path}#query-1`);
      assert.deepEqual(Object.keys(fields), ['query']);
      const plan = await user.submit(path, fields);
      assert.equal(plan.status, 200, plan.body);
      assert.match(plan.body, /SEARCH people USING INDEX by_name/);
      const hidden = await user.submit(path, { ...fields, query: '1' });
      assert.match(hidden.body, /Plan with NULL in place of the values/);
      assert.doesNotMatch(hidden.body, /hunter2/);
      for (const query of ['2', '9', '-1', '', 'select 1', '0; select 1']) {
        const answer = await user.submit(path, { ...fields, query, sql: 'select 1' });
        assert.equal(answer.status, 409, query);
        assert.match(answer.body, /This query cannot be explained/);
      }
    });

    it('an action needs a POST: GET and HEAD redirect, and other methods are refused', async () => {
      const token = await record('GET');
      const page = `/_profiler/${token}`;
      const hits = running.hits.length;
      for (const [path, to] of [
        [`${page}/replay`, page],
        [`${page}/mark`, page],
        [`${page}/explain`, `${page}?panel=db`],
        ['/_profiler/app/purge', '/_profiler/'],
      ] as const) {
        for (const method of ['GET', 'HEAD']) {
          const { status, headers } = await asking(method, path);
          assert.deepEqual([status, headers.location], [303, to], `${method} ${path}`);
        }
        const { status, headers } = await asking('PUT', path);
        assert.equal(status, 405, path);
        assert.match(String(headers.allow), /\bPOST\b/, path);
      }
      assert.equal(running.hits.length, hits, 'nothing was replayed');
      const { body, status: kept } = await asking('GET', page);
      assert.deepEqual([kept, body.includes('Unpin')], [200, false]);
      const { status, headers } = await asking('POST', `/_profiler/${token}`);
      assert.equal(status, 405);
      assert.match(String(headers.allow), /^GET\b/);
    });

    it('a record is pinned with a note, found by it, and unpinned', async () => {
      const [token, other] = [await record('GET'), await record('GET')];
      const user = browser();
      const path = `/_profiler/${token}/mark`;
      const pin = formOf(await user.open(`/_profiler/${token}`), path);
      assert.equal((await user.submit(path, pin)).status, 303);
      const marked = await user.submit(path, { ...pin, note: 'Ask <Ann> first' });
      assert.deepEqual([marked.status, marked.headers.location], [303, `/_profiler/${token}`]);
      const shown = (await user.open(`/_profiler/${token}`)).body;
      assert.match(shown, /Ask &lt;Ann/);
      for (const [query, finds] of [
        ['has:pin', true],
        ['note:other', false],
        ['-note:ann', false],
        ['note:ann path:/articles', true],
        ['has:pin status:500', false],
      ] as const) {
        const { body } = await user.open(`/_profiler/?q=${encodeURIComponent(query)}`);
        assert.equal(body.includes(`value="${token}"`), finds, query);
        assert.equal(body.includes(`value="${other}"`), query.startsWith('-'), query);
      }
      assert.match((await user.open('/_profiler/')).body, /class="pinned">Ask &lt;Ann/);
      const refused = await user.submit(path, { ...pin, note: 'a'.repeat(2001) });
      assert.deepEqual([refused.status, /at most 2,000 characters/.test(refused.body)], [409, true]);
      assert.ok((await user.submit(path, pin, { Origin: 'http://evil.example' })).status >= 403);
      assert.equal((await user.submit(path, { ...pin, remove: '1' })).status, 303);
      assert.doesNotMatch((await user.open('/_profiler/?q=has%3Apin')).body, new RegExp(token));
    });

    it('pages have the toolbar, which shows each reader their own request', async () => {
      const asked = { Accept: 'text/html', 'Sec-Fetch-Dest': 'document' };
      const pages = await Promise.all([
        asking('GET', '/page', { headers: asked }),
        asking('GET', '/page', { headers: asked }),
      ]);
      const locations = pages.map(({ body }) => /data-lookback="([^"]+)"/.exec(body)?.[1] ?? '');
      assert.equal(new Set(locations).size, 2);
      assert.match((await asking('GET', '/_profiler/toolbar.js')).body, /attachShadow/);
      for (const location of locations) {
        const { status, body } = await asking('GET', `${location}/toolbar`);
        assert.equal(status, 200);
        assert.ok(body.includes(`href="${location}" data-entry="status"`), body);
      }
    });

    it(
      'the list is live for two readers at once, each with their own filter',
      { timeout: 30_000 },
      async () => {
        const [all, posts] = await Promise.all(
          ['', '?method=POST'].map(async (query) => {
            const list = await browser().open(`/_profiler/${query}`);
            const [live, after] = [/data-live="([^"]+)"/, /data-position="([^"]+)"/].map(
              (part) => part.exec(list.body)?.[1],
            );
            const target = `/_profiler/${live?.replaceAll('&amp;', '&') ?? ''}${live?.includes('?') === true ? '&' : '?'}position=${after ?? ''}`;
            const stream = await running.transport.open({ path: target });
            assert.equal(stream.status, 200);
            return stream;
          }),
        );
        const [got, posted] = [
          await record('GET'),
          await record('POST', { body: 'ink', headers: { 'Content-Type': 'text/plain' } }),
        ];
        const readUntil = async (stream: OpenAnswer | undefined, token: string): Promise<string> => {
          let text = '';
          while (!text.includes(`"token":"${token}"`)) {
            const next = await stream?.chunks.next();
            if (next === undefined || next.done === true) throw new Error(`ended before ${token}: ${text}`);
            text += Buffer.from(next.value).toString();
          }
          stream?.leave();
          return text;
        };
        const [ofAll, ofPosts] = await Promise.all([readUntil(all, posted), readUntil(posts, posted)]);
        assert.ok(ofAll.includes(got));
        assert.ok(!ofPosts.includes(got));
      },
    );

    it('all records are deleted only after a confirmation page', async () => {
      const token = await record('GET');
      const user = browser();
      const path = '/_profiler/app/purge';
      const asked = await user.submit(path, formOf(await user.open('/_profiler/'), path));
      assert.equal(asked.status, 200, asked.body);
      assert.equal((await user.open(`/_profiler/${token}`)).status, 200);
      const answer = await user.submit(path, formOf(asked, path));
      assert.deepEqual([answer.status, answer.headers.location], [303, '/_profiler/']);
      assert.match((await user.open(`/_profiler/${token}`)).body, /was purged/);
    });
  });

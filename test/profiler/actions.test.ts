import assert from 'node:assert/strict';
import { request as send, type IncomingHttpHeaders } from 'node:http';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import { createApp, type RunningServer } from '#framework';
import { lookback } from '../../src/attach/express.js';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
type Fields = Readonly<Record<string, string>>;
/** One request, over whatever way in. */
type Ask = (method: string, path: string, init?: { headers?: Fields; body?: string }) => Promise<Answer>;

/** Over a socket; `fetch` would not let a test choose what browsers say of a page. */
const overSocket =
  (origin: string): Ask =>
  (method, path, { headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const outgoing = send(origin + path, { method, headers, agent: false }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      });
      outgoing.on('error', reject).end(body);
    });

/** A browser without a script: keeps the form's cookie, and says where its forms are. */
class Browser {
  readonly #ask: Ask;
  readonly #origin: string;
  cookie = '';

  constructor(ask: Ask, origin: string) {
    this.#ask = ask;
    this.#origin = origin;
  }

  async open(path: string): Promise<Answer> {
    const headers: Fields = this.cookie === '' ? {} : { Cookie: this.cookie };
    const answer = await this.#ask('GET', path, { headers });
    for (const cookie of answer.headers['set-cookie'] ?? [])
      if (cookie.startsWith('lookback_form=')) {
        assert.match(cookie, /Path=\/_profiler.*HttpOnly.*SameSite=Strict/i);
        this.cookie = [this.cookie, cookie.split(';', 1)[0]].filter((part) => part !== '').join('; ');
      }
    return answer;
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
    [...form.matchAll(/type="hidden" name="(\w+)" value="([\w-]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  );
}

interface Subject {
  readonly name: string;
  start(): Promise<{ ask: Ask; origin: string; hits: string[]; close(): Promise<void> }>;
}

const createSubjectApp = (hits: string[]): ReturnType<typeof createApp> => {
  const app = createApp({ configuration: { debug: true, profilerStore: 'memory:' } });
  app.get('/articles', ({ request }) => {
    hits.push(`GET ${request.headers.get('cookie') ?? ''}`);
    return { articles: [] };
  });
  app.post('/articles', async ({ request }) => {
    hits.push(`POST ${await request.text()}`);
    return { created: true };
  });
  return app;
};

const subjects: readonly Subject[] = [
  {
    name: 'an application, HTTP/1.1',
    async start() {
      const hits: string[] = [];
      const app = createSubjectApp(hits);
      const server: RunningServer = await app.listen({ host: '127.0.0.1', port: 0 });
      return { ask: overSocket(server.url), origin: server.url, hits, close: () => app.close() };
    },
  },
  {
    name: 'an application, app.fetch',
    async start() {
      const hits: string[] = [];
      const app = createSubjectApp(hits);
      const ask: Ask = async (method, path, { headers = {}, body } = {}) => {
        const init = { method, headers, ...(body === undefined ? {} : { body }) };
        const response = await app.fetch(path, { ...init, peer: { address: '127.0.0.1' } });
        const cookies = response.headers.getSetCookie();
        return {
          status: response.status,
          headers: { ...Object.fromEntries(response.headers), 'set-cookie': cookies },
          body: await response.text(),
        };
      };
      return { ask, origin: 'http://localhost', hits, close: () => app.close() };
    },
  },
  ...[false, true].map((isParsed): Subject => ({
    name: `Express${isParsed ? ', behind its body parser' : ''}`,
    async start() {
      const hits: string[] = [];
      const app = express();
      const watch = lookback({ store: 'memory:' });
      if (isParsed) app.use(express.urlencoded());
      app.use(watch);
      app.get('/articles', (request, response) => {
        hits.push(`GET ${request.headers.cookie ?? ''}`);
        response.json({ articles: [] });
      });
      app.post('/articles', express.text({ type: '*/*' }), (request, response) => {
        hits.push(`POST ${String(request.body)}`);
        response.json({ created: true });
      });
      const server = app.listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const address = server.address();
      const origin = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
      const close = async (): Promise<void> => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        await watch.close();
      };
      return { ask: overSocket(origin), origin, hits, close };
    },
  })),
];

for (const subject of subjects)
  describe(`actions of the profiler's pages: ${subject.name}`, () => {
    let running: Awaited<ReturnType<Subject['start']>>;
    before(async () => {
      running = await subject.start();
    });
    after(() => running.close());

    const record = async (
      method: string,
      init: { headers?: Fields; body?: string } = {},
    ): Promise<string> => {
      const { headers } = await running.ask(method, '/articles', init);
      return String(headers['x-debug-token']);
    };
    const browser = (): Browser => new Browser(running.ask, running.origin);

    it('a GET is sent again at once, with the cookies of the browser, and names the original', async () => {
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
      assert.ok(replayed.body.includes(`href="/_profiler/${token}">${token}`), 'the link to the original');
    });

    it('a POST is sent again behind a page that asks', async () => {
      const token = await record('POST', { headers: { 'Content-Type': 'text/plain' }, body: 'paper' });
      const user = browser();
      const path = `/_profiler/${token}/replay`;
      const before = running.hits.length;
      const asked = await user.submit(path, formOf(await user.open(`/_profiler/${token}`), path));
      assert.equal(asked.status, 200, asked.body);
      assert.equal(running.hits.length, before, 'nothing was sent');
      assert.match(asked.body, /Send this request again\?/);
      const answer = await user.submit(path, formOf(asked, path));
      assert.equal(answer.status, 303, answer.body);
      assert.equal(running.hits.at(-1), 'POST paper');
    });

    it('what the record does not hold whole is not sent', async () => {
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

    it('a form of anybody else is refused', async () => {
      const token = await record('GET');
      const user = browser();
      const path = `/_profiler/${token}/replay`;
      const fields = formOf(await user.open(`/_profiler/${token}`), path);
      const other = browser();
      const foreign = formOf(await other.open(`/_profiler/${token}`), path);
      assert.notEqual(foreign['_token'], fields['_token'], 'each browser has its own');
      const before = running.hits.length;
      const attempts: [string, Fields, Fields][] = [
        ['no token', {}, {}],
        ['another browser’s token', foreign, {}],
        ['a token of another form', { _token: 'x' }, {}],
        ['no cookie', fields, { Cookie: '' }],
      ];
      for (const [what, given, headers] of attempts) {
        const answer = await user.submit(path, given, headers);
        assert.equal(answer.status, 403, what);
        assert.match(answer.body, /Nothing was done/, what);
      }
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
      const silent = await running.ask('POST', path, {
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Cookie: user.cookie },
        body: new URLSearchParams(fields).toString(),
      });
      assert.equal(silent.status, 403, 'who does not say where the form was');
      assert.equal(running.hits.length, before, 'nothing was sent');
      assert.equal((await user.submit(path, fields)).status, 303, 'its own form goes on');
    });

    it('an action takes POST alone, a page GET and HEAD', async () => {
      const token = await record('GET');
      for (const path of [`/_profiler/${token}/replay`, '/_profiler/app/purge'])
        for (const method of ['GET', 'HEAD', 'PUT']) {
          const { status, headers } = await running.ask(method, path);
          assert.deepEqual([status, headers.allow], [405, 'POST'], `${method} ${path}`);
        }
      const { status, headers } = await running.ask('POST', `/_profiler/${token}`);
      assert.equal(status, 405);
      assert.match(String(headers.allow), /^GET\b/);
    });

    it('all records are deleted behind a page that asks', async () => {
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

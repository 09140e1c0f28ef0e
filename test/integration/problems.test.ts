import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { annotate, type App, ConflictError, createApp, HttpError } from 'lookback';
import { requestBody, ValidationError, withArguments } from 'lookback/controller';
import { isGranted } from 'lookback/security';
import { local } from '../local-peer.js';

const named = {
  '~standard': {
    version: 1 as const,
    vendor: 'test',
    validate: (value: unknown) =>
      typeof value === 'object' && value !== null && 'name' in value
        ? { value: { name: String(value.name) } }
        : { issues: [{ message: 'A name is missing.', path: ['people', 0, 'name'], code: 'missing' }] },
  },
};

function createShop(debug: boolean): App {
  const app = createApp({
    configuration: { debug, profilerStore: 'off', port: 0 },
    logHandlers: [],
  });
  app.post(
    '/people',
    withArguments([requestBody(named)], ({ name }) => ({ name })),
  );
  app.get('/taken', () => {
    throw new ConflictError('E-mail is taken.', { cause: new Error('secret cause') });
  });
  app.get('/teapot', () => {
    throw new HttpError(418, 'Short and stout.', { headers: { 'X-Kind': 'pot' } });
  });
  app.get('/marked', () => {
    throw new HttpError(400, '<script>alert(1)</script>');
  });
  app.get('/quiet', () => {
    throw new HttpError(404, 'secret row 7', { expose: false });
  });
  app.get('/own', () => {
    throw new HttpError(409, 'Two fields.', {
      violations: [{ path: 'a', message: 'is old', code: 'stale', in: 'query' }],
    });
  });
  app.get('/broken', () => {
    throw new HttpError(500, 'secret password');
  });
  app.get('/bug', () => {
    throw new TypeError('secret bug');
  });
  app.get(
    '/closed',
    annotate(() => 'never', isGranted.of({ attribute: 'ROLE_SECRET', status: 404 })),
  );
  app.get(
    '/explained',
    annotate(() => 'never', isGranted.of({ attribute: 'ROLE_SECRET', status: 402, message: 'Pay first.' })),
  );
  return app;
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

const expected: readonly [path: string, init: RequestInit, problem: Record<string, unknown>][] = [
  [
    '/people',
    { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } },
    {
      title: 'Unprocessable Content',
      status: 422,
      detail: 'people[0].name: A name is missing.',
      violations: [{ path: 'people[0].name', message: 'A name is missing.', code: 'missing' }],
    },
  ],
  ['/taken', {}, { title: 'Conflict', status: 409, detail: 'E-mail is taken.' }],
  ['/teapot', {}, { title: "I'm a Teapot", status: 418, detail: 'Short and stout.' }],
  ['/quiet', {}, { title: 'Not Found', status: 404 }],
  [
    '/own',
    {},
    {
      title: 'Conflict',
      status: 409,
      detail: 'Two fields.',
      violations: [{ path: 'a', message: 'is old', code: 'stale', in: 'query' }],
    },
  ],
  ['/broken', {}, { title: 'Internal Server Error', status: 500 }],
  ['/bug', {}, { title: 'Internal Server Error', status: 500 }],
  ['/closed', {}, { title: 'Not Found', status: 404 }],
  ['/explained', {}, { title: 'Payment Required', status: 402, detail: 'Pay first.' }],
  ['/nowhere/secret', {}, { title: 'Not Found', status: 404 }],
  ['/taken', { method: 'DELETE' }, { title: 'Method Not Allowed', status: 405 }],
];

function asJson(init: RequestInit = {}): RequestInit {
  return { ...init, headers: { Accept: 'application/json', ...(init.headers as Record<string, string>) } }; // the rows above
}

async function waysIn(app: App): Promise<readonly [name: string, ask: Ask][]> {
  const { url } = await app.listen();
  return [
    ['fetch', (path, init) => app.fetch(path, { ...asJson(init), ...local })],
    ['socket', (path, init) => fetch(url + path, asJson(init))],
  ];
}

describe('problem documents', () => {
  const apps = { debug: createShop(true), production: createShop(false) };
  after(() => Promise.all([apps.debug.close(), apps.production.close()]));

  it('have one shape: production sends all its members, debug only adds some', async () => {
    for (const [name, ask] of await waysIn(apps.production)) {
      for (const [path, init, problem] of expected) {
        const response = await ask(path, init);
        const text = await response.text();
        assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/, path);
        assert.deepEqual(JSON.parse(text), { type: 'about:blank', ...problem }, `${name} ${path}`);
        assert.doesNotMatch(text, /secret|ROLE_/i);
      }
      assert.equal((await ask('/teapot')).headers.get('x-kind'), 'pot');
    }
    for (const [name, ask] of await waysIn(apps.debug)) {
      for (const [path, init, problem] of expected) {
        const body = (await (await ask(path, init)).json()) as Record<string, unknown>; // a JSON object
        const { debug, ...rest } = body;
        assert.deepEqual({ ...rest, ...problem }, rest, `${name} ${path}: the problem fields are unchanged`);
        const added = Object.keys(rest).filter((key) => key !== 'type' && !(key in problem));
        assert.ok(
          added.every((key) => key === 'detail'),
          added.join(),
        );
        assert.ok(Array.isArray((debug as { exception: unknown }).exception), path); // lookback's own object
      }
    }
  });

  it('say the same as text, and browsers get the page', async () => {
    const ask: Ask = (target, request) => apps.production.fetch(target, request);
    const [[path, init] = ['', {}]] = expected;
    const headers = { ...(init.headers as Record<string, string>), Accept: 'text/plain' }; // written above
    const text = await (await ask(path, { ...init, headers })).text();
    assert.equal(
      text,
      '422 Unprocessable Content\n\npeople[0].name: A name is missing.\n- people[0].name: A name is missing. (missing)\n',
    );
    const page = await ask('/taken', { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(await page.text(), /<h1>Conflict<.h1><div>E-mail is taken\.<.div>/);
    const refused = await ask(path, { ...init, headers: { ...headers, Accept: 'text/html' } });
    assert.match(await refused.text(), /<li><code>people\[0\]\.name<.code>: A name is missing\.<.li>/);
    for (const silent of ['/quiet', '/broken', '/bug', '/nowhere/secret']) {
      const told = await (await ask(silent, { headers: { Accept: 'text/html' } })).text();
      assert.match(told, /<.h1><.main>/, silent);
      assert.doesNotMatch(told, /secret/, silent);
    }
    const marked = await ask('/marked', { headers: { Accept: 'text/html' } });
    assert.match(await marked.text(), /<div>&lt;script>alert\(1\)/);
    assert.equal(
      await (await ask('/bug', { headers: { Accept: 'text/plain' } })).text(),
      '500 Internal Server Error\n',
    );
  });

  it('name at most 100 violations, and say how many more there were', () => {
    const issues = Array.from({ length: 150 }, (_, index) => ({ message: 'no', path: [index] }));
    const error = new ValidationError(issues);
    assert.deepEqual([error.violations.length, error.violations[99]?.path], [100, '[99]']);
    assert.match(error.message, /^\[99\]: no\n50 further violations are left out\.$/m);
    assert.match(new ValidationError(issues.slice(0, 101)).message, /\n1 further violation is left out\.$/);
    assert.equal(new ValidationError(issues.slice(0, 100)).message.split('\n').length, 100);
  });
});

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'node:test';
import {
  type App,
  createApp,
  createScopeKey,
  currentScope,
  type HttpRequest,
  HttpResponse,
  responseEvent,
} from 'lookback';
import { createSecurity, type Security } from 'lookback/security';
import { ask, connectTo, openTransport, tlsFiles } from './transports.js';
import type { Answer, Transport, TransportName } from './transports.js';

const userCount = 64;
const roundCount = 2;
const entered = new AsyncLocalStorage<string>();
const run = new AsyncLocalStorage<string>();
const scoped = createScopeKey<string>('user of the test');
const sharedResponse = HttpResponse.text('kept by the controller');

/** Everything that can identify a request's user; each must name the same one. */
interface Facts {
  readonly header: string | undefined;
  readonly cookie: string | undefined;
  readonly query: string | null;
  readonly before: string | undefined;
  readonly entered: (string | undefined)[];
  readonly run: (string | undefined)[];
  readonly scope: (string | undefined)[];
  readonly body: string;
  readonly session: unknown;
}

async function lookAround(
  { request, log }: { request: HttpRequest; log: App['log'] },
  security: Security,
): Promise<Facts> {
  const user = request.headers.get('x-user') ?? '';
  const before = entered.getStore();
  entered.enterWith(user);
  request.scope.set(scoped, user);
  return run.run(user, async () => {
    const facts = {
      entered: [entered.getStore()],
      run: [run.getStore()],
      scope: [currentScope()?.get(scoped)],
    };
    log.info('Somebody looks around.', { user });
    const session = await security.session(request);
    const kept = session.get('user') ?? user;
    session.set('user', kept);
    for (const wait of [() => nextTurn(), () => sleep(Math.random() * 4), () => Promise.resolve()]) {
      await wait();
      facts.entered.push(entered.getStore());
      facts.run.push(run.getStore());
      facts.scope.push(currentScope()?.get(scoped));
    }
    return {
      header: request.headers.get('x-user'),
      cookie: request.cookies.get('user'),
      query: request.query.get('user'),
      before,
      ...facts,
      body: request.method === 'POST' ? await request.text() : user,
      session: kept,
    };
  });
}

function createUsersApp(isTls: boolean): App {
  const security = createSecurity({ secret: 'a secret for this test that is long enough', csrf: false });
  const app = createApp({
    configuration: {
      env: 'test',
      debug: true,
      profilerStore: 'memory:',
      tls: isTls ? tlsFiles : undefined,
      retention: { records: 10_000, ageDays: 1, bytes: 1e9 },
    },
    logHandlers: [],
    security,
  });
  app.any('/facts', (context) => lookAround(context, security));
  app.any('/synchronous', ({ request }) => {
    const user = request.headers.get('x-user') ?? '';
    const before = entered.getStore();
    entered.enterWith(user);
    return { before, header: user, entered: [entered.getStore()] };
  });
  app.any('/constant', () => sharedResponse);
  app.on(responseEvent, async ({ request, response }) => {
    await nextTurn();
    response.setCookie('named', request.headers.get('x-user') ?? '');
  });
  return app;
}

/** Sends some requests as one user, keeping the cookies that were set. */
async function askAs(user: string, transport: Transport): Promise<Answer[]> {
  const jar = new Map([['user', user]]);
  const answers: Answer[] = [];
  for (let round = 0; round < roundCount; round++) {
    for (const path of ['/facts', '/synchronous', '/constant']) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const isPost = path === '/facts' && round % 2 === 1;
      const answer = await ask(transport, {
        path: `${path}?user=${user}`,
        method: isPost ? 'POST' : 'GET',
        headers: { 'x-user': user, cookie },
        ...(isPost ? { body: user } : {}),
      });
      keepCookies(jar, answer);
      answers.push(answer);
    }
  }
  return answers;
}

function keepCookies(jar: Map<string, string>, { headers }: Answer): void {
  for (const [name, value] of headers) {
    const [, key, kept] = name === 'set-cookie' ? (/^([^=]+)=([^;]*)/.exec(value) ?? []) : [];
    if (key !== undefined && kept !== undefined) jar.set(key, kept);
  }
}

/** All users named anywhere in a response. */
function usersIn(value: unknown): string[] {
  return JSON.stringify(value).match(/user-\d+/g) ?? [];
}

function checkAnswer(user: string, { status, headers, body }: Answer): void {
  assert.equal(status, 200, body.slice(0, 200));
  assert.deepEqual([...new Set(usersIn([headers, body]))], [user]);
  assert.equal(
    headers.filter(([name, value]) => name === 'set-cookie' && value.startsWith('named=')).length,
    1,
  );
  if (!body.startsWith('{')) return;
  const facts = JSON.parse(body) as Partial<Facts>; // returned by lookAround
  assert.equal(facts.before, undefined, 'a request begins without the context of another');
  for (const list of [facts.entered, facts.run, facts.scope]) {
    for (const one of list ?? []) assert.equal(one, user);
  }
  if (facts.session !== undefined)
    assert.deepEqual([facts.session, facts.body, facts.cookie], [user, user, user]);
}

async function checkRecord({ profiler }: App, user: string, { headers }: Answer): Promise<void> {
  assert.ok(profiler);
  const token = headers.find(([name]) => name === 'x-debug-token')?.[1] ?? '';
  const found = await profiler.find(token);
  assert.equal(found.kind, 'found');
  if (found.kind !== 'found') return;
  const { request, response, logs } = found.record;
  assert.deepEqual([...new Set(usersIn([request, response, logs]))], [user]);
}

async function checkAnswers(app: App, user: string, answers: readonly Answer[]): Promise<void> {
  for (const answer of answers) {
    checkAnswer(user, answer);
    await checkRecord(app, user, answer);
  }
}

describe('64 users at once', () => {
  const mixes: (readonly TransportName[])[] = [
    ['HTTP/1.1', 'fetch'],
    ['TLS', 'HTTP/2', 'fetch'],
  ];
  for (const names of mixes) {
    it(`each see their own data, and so do their records, over ${names.join(', ')}`, async () => {
      const app = createUsersApp(names.includes('TLS'));
      const ways: Transport[] = [];
      try {
        const { url } = await app.listen({ port: 0 });
        for (let n = 0; n < 7; n++) {
          for (const name of names)
            ways.push(name === 'fetch' ? await openTransport(name, app) : connectTo(name, url));
        }
        const users = Array.from({ length: userCount }, (_, n) => `user-${n}`);
        const answers = await Promise.all(
          users.map((user, n) => askAs(user, ways[n % ways.length] ?? assert.fail())),
        );
        await app.profiler?.flush();
        for (const [n, user] of users.entries()) {
          await checkAnswers(app, user, answers[n] ?? []);
        }
        assert.equal(sharedResponse.headers.has('set-cookie'), false);
      } finally {
        for (const way of ways) await way.close();
        await app.close();
      }
    });
  }
});

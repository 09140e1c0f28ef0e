import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppRoute, HttpRequest } from 'lookback';
import { type ExpiringStore, hashToken, type Security, type Session } from 'lookback/security';
import { createGuardedApp, type Guarded } from './guarded-app.js';
import { Visitor } from './visitor.js';

interface SessionSettings {
  readonly lockMilliseconds?: number;
  readonly lockWaitMilliseconds?: number;
  readonly idleSeconds?: number;
  readonly absoluteSeconds?: number;
  /** Runs while the controller of `/slow` holds the session. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** An application whose controllers use the session, over a given store. */
export function createSessionApp(store: ExpiringStore, settings: SessionSettings = {}): Guarded {
  const { meanwhile, ...options } = settings;
  const holder: { security?: Security } = {};
  const open = async (request: HttpRequest): Promise<Session> => {
    assert.ok(holder.security);
    return holder.security.session(request);
  };
  const route = (path: string, work: (request: HttpRequest) => Promise<unknown>): AppRoute => ({
    path,
    name: path.slice(1),
    controller: ({ request }: { request: HttpRequest }) => work(request),
  });
  const routes = [
    route('/count', async (request) => {
      const session = await open(request);
      const count = (session.get<number>('count') ?? 0) + 1;
      await sleep(2); // others run in between
      session.set('count', count);
      return { count };
    }),
    route('/slow', async (request) => {
      const session = await open(request);
      await meanwhile?.();
      session.set('count', 1000);
      return 'kept';
    }),
    route('/cart', async (request) => {
      const session = await open(request);
      const cart = session.get<string[]>('cart') ?? [];
      session.set('cart', cart);
      cart.push(request.query.get('add') ?? '');
      return cart;
    }),
    route('/look', async (request) => (await holder.security?.viewSession(request))?.get('count') ?? 'none'),
    route('/touch', async (request) => (await open(request)).has('count')),
    route('/clear', async (request) => {
      (await open(request)).invalidate();
      return 'cleared';
    }),
    route('/bad', async (request) => {
      (await open(request)).set('big', 1n);
      return 'kept';
    }),
    route('/huge', async (request) => {
      (await open(request)).set('big', 'x'.repeat(300_000));
      return 'kept';
    }),
    route('/fail', async (request) => {
      (await open(request)).set('failed', true);
      throw new Error('after the session was opened');
    }),
  ];
  const guarded = createGuardedApp(
    (given) => ({ ...given, sessions: { store, ...options }, csrf: false }),
    routes,
  );
  holder.security = guarded.security;
  return guarded;
}

/** Forty requests increment the same value, in two applications over one store; no increment may be lost. */
export async function countTogether(open: () => ExpiringStore): Promise<void> {
  const patient = { lockWaitMilliseconds: 60_000 };
  const apps = [createSessionApp(open(), patient), createSessionApp(open(), patient)];
  const first = new Visitor(apps[0]?.app ?? assert.fail());
  await first.get('/count');
  const answers = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const visitor = new Visitor(apps[n % 2]?.app ?? assert.fail());
      for (const [key, value] of first.cookies) visitor.cookies.set(key, value);
      return (await visitor.get('/count')).body;
    }),
  );
  assert.equal(new Set(answers).size, 40, 'every request saw a different count');
  assert.equal((await first.get('/look')).body, '41');
}

/** A request holds a session for longer than its lock lasts, and another takes it over: the first one's changes are not stored. */
export async function overtake(open: () => ExpiringStore): Promise<void> {
  const second = new Visitor(createSessionApp(open()).app);
  const meanwhile = async (): Promise<void> => {
    await sleep(80); // the lock of 60 ms has expired
    assert.equal((await second.get('/count')).body, '{"count":2}');
  };
  await second.get('/count');
  const first = new Visitor(createSessionApp(open(), { lockMilliseconds: 60, meanwhile }).app);
  for (const [key, value] of second.cookies) first.cookies.set(key, value);
  assert.equal((await first.get('/slow')).status, 500);
  assert.equal((await second.get('/look')).body, '2');
  assert.equal((await second.get('/count')).body, '{"count":3}');
}

/** A login is sent twice, and an earlier request is answered last: user and session content are kept. */
export async function logInTwice(open: () => ExpiringStore): Promise<void> {
  const [one, other] = [createSessionApp(open()), createSessionApp(open())];
  const visitor = new Visitor(one.app);
  await visitor.get('/count');
  const before = new Map(visitor.cookies);
  const withOld = (app: Guarded['app']): Visitor => {
    const tab = new Visitor(app);
    for (const [name, value] of before) tab.cookies.set(name, value);
    return tab;
  };
  await visitor.logIn('reader', 'reader');
  const again = withOld(other.app);
  await again.logIn('reader', 'reader');
  const { setCookies } = await withOld(other.app).get('/count');
  assert.deepEqual(setCookies, [], 'the late answer replaces no cookie');
  for (const tab of [visitor, again]) {
    assert.equal((await tab.get('/members')).status, 200);
    assert.equal((await tab.get('/look')).body, '1');
  }
}

/** A session ends while a request holds it: the request does not restore it. */
export async function endMeanwhile(open: () => ExpiringStore): Promise<void> {
  const store = open();
  const keyOf = (visitor: Visitor): string =>
    `session:${hashToken((visitor.cookies.get('session') ?? '').split('.')[0] ?? '')}`;
  const meanwhile = async (): Promise<void> => assert.equal(await store.remove(keyOf(visitor)), true);
  const visitor = new Visitor(createSessionApp(store, { meanwhile }).app);
  await visitor.get('/count');
  assert.equal((await visitor.get('/slow')).status, 500);
  assert.equal((await visitor.get('/look')).body, 'none');
}

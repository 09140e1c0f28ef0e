import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import fc from 'fast-check';
import { type AppRoute, createLogger, type LogRecord } from 'lookback';
import {
  accessToken,
  createMemoryExpiringStore,
  createRecoveryCodes,
  createTotpSecret,
  findTotpStep,
  formLogin,
  httpBasic,
  jsonLogin,
  listedTokens,
  type SecurityOptions,
  totpCode,
  totpFactor,
  totpUri,
} from 'lookback/security';
import { createGuardedApp, reader, type Guarded } from './guarded-app.js';
import { Visitor, type Answer } from './visitor.js';

describe('time-based codes', () => {
  it('are those of RFC 6238, appendix B', () => {
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'; // "12345678901234567890"
    for (const [seconds, code] of [
      [59, '287082'],
      [1_111_111_109, '081804'],
      [1_111_111_111, '050471'],
      [1_234_567_890, '005924'],
      [2_000_000_000, '279037'],
      [20_000_000_000, '353130'],
    ] as const)
      assert.equal(totpCode(secret, seconds * 1000), code);
  });

  it('are good in their own step, the one before and the one after', () => {
    const now = 1_700_000_000_000;
    fc.assert(
      fc.property(fc.integer({ min: -5, max: 5 }), (steps) => {
        const secret = createTotpSecret();
        const code = totpCode(secret, now + steps * 30_000);
        const found = findTotpStep(secret, code, now);
        if (Math.abs(steps) <= 1) assert.equal(found, Math.floor(now / 30_000) + steps);
        else if (found !== undefined) assert.equal(totpCode(secret, found * 30_000), code); // two steps of one code
      }),
    );
  });

  it('have secrets of 160 bits, which apps take from a URI', () => {
    const secret = createTotpSecret();
    assert.match(secret, /^[A-Z2-7]{32}$/);
    const uri = new URL(totpUri({ secret, account: 'ada & co@example.org', issuer: 'My: Shop' }));
    assert.equal(uri.protocol, 'otpauth:');
    assert.equal(decodeURIComponent(uri.pathname), '/My: Shop:ada & co@example.org');
    assert.deepEqual([uri.searchParams.get('secret'), uri.searchParams.get('issuer')], [secret, 'My: Shop']);
    assert.equal(totpCode(secret.toLowerCase().replace(/(.{4})/g, '$1 '), 0), totpCode(secret, 0));
    for (const weak of ['', 'ABC', '!'.repeat(32)])
      assert.throws(() => totpCode(weak), { code: 'SECURITY_BAD_OPTION' });
  });
});

const secret = createTotpSecret();
const routes: readonly AppRoute[] = [
  { path: '/login/code', name: 'code', methods: 'GET', controller: () => 'the code form' },
];

interface TwoSteps extends Guarded {
  readonly recovery: Set<string>;
  readonly codes: readonly string[];
}

/** The reader has an authenticator app; the admin has none. */
function createTwoSteps(
  change: (options: SecurityOptions) => SecurityOptions = (options) => options,
  more: { readonly tries?: number } = {},
): TwoSteps {
  const { codes, hashes } = createRecoveryCodes();
  const recovery = new Set(hashes);
  const factor = totpFactor({
    findSecret: ({ identifier }) => (identifier === 'reader' ? secret : undefined),
    useRecoveryCode: (_user, hash) => recovery.delete(hash),
    store: createMemoryExpiringStore(),
    ...more,
  });
  const guarded = createGuardedApp(
    (options) =>
      change({
        ...options,
        firewalls: [
          {
            name: 'main',
            authenticators: [formLogin(), jsonLogin({ path: '/api/login' })],
            secondFactor: factor,
            rememberMe: true,
            logout: { clearSiteData: [] },
          },
        ],
        accessControl: [
          { path: '/login/code', allow: 'IS_AUTHENTICATED_2FA_IN_PROGRESS' },
          ...(options.accessControl ?? []),
        ],
      }),
    routes,
  );
  return { ...guarded, recovery, codes };
}

const sendCode = (visitor: Visitor, code: string): Promise<Answer> =>
  visitor.post('/login/code', { form: { code } });

describe('a login in two steps', () => {
  it('lets no one in between the steps, and in after the code, to where they wanted to go', async () => {
    const { app } = createTwoSteps();
    const visitor = new Visitor(app);
    assert.equal((await visitor.get('/members')).location, '/login');
    assert.equal((await visitor.get('/login/code')).location, '/login', 'not before the first step');
    const before = visitor.cookies.get('session');
    assert.equal((await visitor.logIn('reader', 'reader')).location, '/login/code');
    const between = visitor.cookies.get('session');
    assert.notEqual(between, before);
    assert.equal((await visitor.get('/login/code')).body, 'the code form');
    for (const path of ['/members', '/vault', '/admin', '/no/such/page?x']) {
      const expected = path.startsWith('/no') ? undefined : '/login/code';
      assert.equal((await visitor.get(path)).location, expected, path);
    }
    assert.equal((await visitor.get('/')).body, '{"user":null}', 'a stranger to every controller');
    const json = { headers: { Accept: 'application/json' } };
    assert.equal((await visitor.get('/members', json)).status, 401);
    await visitor.get('/members');
    assert.equal((await sendCode(visitor, totpCode(secret))).location, '/members');
    assert.notEqual(visitor.cookies.get('session'), between, 'the session has a new id');
    assert.equal((await visitor.get('/vault')).body, '{"user":"reader"}');
    assert.equal((await visitor.get('/login/code')).status, 403, 'the second step is over');
  });

  it('totpFactor: the log of security has the first factor with its user, firewall, authenticator and address', async () => {
    const records: LogRecord[] = [];
    const log = createLogger({ handlers: [{ handle: (record) => void records.push(record) }] });
    const { app } = createTwoSteps((options) => ({ ...options, log: () => log }));
    await new Visitor(app, { address: '192.0.2.7' }).logIn('reader', 'reader');
    assert.deepEqual(
      records.map(({ channel, message, context }) => ({ channel, message, context })),
      [
        {
          channel: 'security',
          message: 'First factor accepted.',
          context: { firewall: 'main', authenticator: 'form-login', address: '192.0.2.7', user: 'reader' },
        },
      ],
    );
  });

  it('answers scripts with 401, and keeps where the form was asked to lead', async () => {
    const { app } = createTwoSteps();
    const visitor = new Visitor(app);
    const login = { _username: 'reader', _password: 'reader', _target_path: '/vault?page=2' };
    assert.equal((await visitor.post('/login', { form: login })).location, '/login/code');
    for (const [method, headers] of [
      ['GET', { Accept: '*/*' }],
      ['GET', { Accept: '*/*', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Site': 'same-origin' }],
      ['GET', { Accept: 'application/json' }],
      ['POST', { Accept: '*/*', 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' }],
    ] as const) {
      const answer = await visitor.send(method, '/members', { headers });
      assert.deepEqual([answer.status, answer.location], [401, undefined], JSON.stringify(headers));
      assert.match(answer.header('content-type') ?? '', /^application\/problem\+json/);
      assert.match(answer.body, /"detail":"The code of the second factor is required/);
    }
    assert.equal((await app.fetch('http://localhost:8000/members')).status, 401, 'no Accept is any');
    const page = { Accept: '*/*', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'same-origin' };
    assert.equal((await visitor.get('/login/code', { headers: page })).body, 'the code form');
    assert.equal((await sendCode(visitor, totpCode(secret))).location, '/vault?page=2');
  });

  it('is required only of users who have a second factor', async () => {
    const visitor = new Visitor(createTwoSteps().app);
    assert.equal((await visitor.logIn('admin', 'admin')).location, '/');
    assert.equal((await visitor.get('/admin')).status, 200);
  });

  it('takes each code once, in all sessions together', async () => {
    const { app } = createTwoSteps();
    const visitors = Array.from({ length: 4 }, () => new Visitor(app));
    for (const visitor of visitors) await visitor.logIn('reader', 'reader');
    const code = totpCode(secret);
    const answers = await Promise.all(visitors.map((visitor) => sendCode(visitor, code)));
    assert.equal(answers.filter(({ location }) => location === '/').length, 1);
    assert.equal(answers.filter(({ location }) => location === '/login/code?error=code').length, 3);
  });

  it('counts wrong codes for the user: another login and another address are no way around it', async () => {
    const { app } = createTwoSteps();
    for (let n = 0; n < 5; n++) {
      const visitor = new Visitor(app, { address: `10.0.0.${n}` });
      await visitor.logIn('reader', 'reader');
      assert.equal((await sendCode(visitor, '000000')).location, '/login/code?error=code');
    }
    const visitor = new Visitor(app);
    await visitor.logIn('reader', 'reader');
    assert.equal((await sendCode(visitor, totpCode(secret))).location, '/login/code?error=throttled');
    const json = await visitor.post('/login/code', { json: { code: totpCode(secret) } });
    assert.equal(json.status, 429);
    assert.ok(Number(json.header('retry-after')) > 60);
  });

  it('allows as many wrong codes as its option says', async () => {
    const visitor = new Visitor(createTwoSteps(undefined, { tries: 1 }).app);
    await visitor.logIn('reader', 'reader');
    assert.equal((await sendCode(visitor, '000000')).location, '/login/code?error=code');
    assert.equal((await sendCode(visitor, totpCode(secret))).location, '/login/code?error=throttled');
  });

  it('takes recovery codes, once each', async () => {
    const { app, codes, recovery } = createTwoSteps();
    const [first = '', second = ''] = codes;
    assert.match(first, /^[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}$/);
    const visitor = new Visitor(app);
    await visitor.logIn('reader', 'reader');
    assert.equal((await sendCode(visitor, ` ${first.toLowerCase()} `)).location, '/');
    assert.equal(recovery.size, 9);
    const again = new Visitor(app);
    await again.logIn('reader', 'reader');
    assert.equal((await sendCode(again, first)).location, '/login/code?error=code');
    assert.equal((await sendCode(again, second.replaceAll('-', ''))).location, '/');
  });

  it('totpFactor: wrong codes of the app do not lock the recovery codes, and wrong recovery codes not those of the app', async () => {
    const { app, codes } = createTwoSteps(undefined, { tries: 1 });
    const enter = async (code: string): Promise<string | undefined> => {
      const visitor = new Visitor(app);
      await visitor.logIn('reader', 'reader');
      return (await sendCode(visitor, code)).location;
    };
    assert.equal(await enter('000000'), '/login/code?error=code');
    assert.equal(await enter('000000'), '/login/code?error=throttled');
    assert.equal(await enter('AAAA-AAAA-AAAA-AAAA'), '/login/code?error=code');
    assert.equal(await enter(codes[0] ?? ''), '/login/code?error=throttled');
    const other = createTwoSteps(undefined, { tries: 1 });
    const locked = new Visitor(other.app);
    await locked.logIn('reader', 'reader');
    assert.equal((await sendCode(locked, '000000')).location, '/login/code?error=code');
    assert.equal((await sendCode(locked, other.codes[0] ?? '')).location, '/');
  });

  it('createSecurity: a password in a firewall without the second factor of the same users is refused for those who need it', async () => {
    const { app } = createTwoSteps((options) => ({
      ...options,
      firewalls: [
        { name: 'api', path: '/api', stateless: true, authenticators: [httpBasic()] },
        { name: 'forms', path: '/forms', authenticators: [formLogin({ loginPath: '/forms/login' })] },
        ...(options.firewalls ?? []),
      ],
    }));
    app.get('/api/me', ({ user }) => ({ user: user?.identifier ?? null }), { name: 'api_me' });
    const ask = (text: string): Promise<Answer> =>
      new Visitor(app).get('/api/me', {
        headers: { Authorization: `Basic ${Buffer.from(text).toString('base64')}` },
      });
    assert.equal((await ask('reader:reader')).status, 401);
    assert.equal((await ask('admin:admin')).body, '{"user":"admin"}', 'who has no second factor');
    const visitor = new Visitor(app);
    const form = { _username: 'reader', _password: 'reader' };
    assert.match((await visitor.post('/forms/login', { form })).location ?? '', /error=second-factor/);
  });

  it('by JSON: 401 with the code, then the code', async () => {
    const visitor = new Visitor(createTwoSteps().app);
    const half = await visitor.post('/api/login', { json: { username: 'reader', password: 'reader' } });
    assert.deepEqual([half.status, (JSON.parse(half.body) as { code: string }).code], [401, 'second-factor']);
    for (const json of [{}, [], { code: 7 }, { code: '' }])
      assert.match((await visitor.post('/login/code', { json })).body, /"code":"malformed"/);
    assert.match((await visitor.post('/login/code', { json: { code: '1' } })).body, /"code":"code"/);
    const full = await visitor.post('/login/code', { json: { code: totpCode(secret) } });
    assert.equal(full.body, '{"user":{"identifier":"reader","roles":["ROLE_READER"]}}');
    assert.equal((await visitor.get('/members')).status, 200);
  });

  it('remembers a device after the code only', async () => {
    const visitor = new Visitor(createTwoSteps().app);
    await visitor.logIn('reader', 'reader', { _remember_me: 'on' });
    assert.ok(!visitor.cookies.has('remember_me'));
    await sendCode(visitor, totpCode(secret));
    assert.ok(visitor.cookies.has('remember_me'));
  });

  it('half of one ends the login that was there, with a logout, a new password, and after ten minutes', async () => {
    const { app, users } = createTwoSteps();
    const visitor = new Visitor(app);
    await visitor.logIn('admin', 'admin');
    await visitor.logIn('reader', 'reader');
    assert.equal((await visitor.get('/')).body, '{"user":null}', 'the admin is logged out');
    await visitor.post('/logout');
    assert.equal((await sendCode(visitor, totpCode(secret))).location, '/login');
    await visitor.logIn('reader', 'reader');
    users.put({ ...reader, passwordHash: 'another' });
    assert.equal((await sendCode(visitor, totpCode(secret))).location, '/login');
    users.put(reader);
    await visitor.logIn('reader', 'reader');
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 601_000 });
    try {
      assert.equal((await sendCode(visitor, totpCode(secret))).location, '/login');
    } finally {
      mock.timers.reset();
    }
    assert.equal((await visitor.get('/')).body, '{"user":null}');
  });

  it("takes no code from another site's page", async () => {
    const visitor = new Visitor(createTwoSteps().app);
    await visitor.logIn('reader', 'reader');
    const forged = await visitor.post('/login/code', {
      form: { code: totpCode(secret) },
      site: 'cross-site',
    });
    assert.equal(forged.location, '/login/code?error=csrf');
    assert.equal((await sendCode(visitor, totpCode(secret))).location, '/', 'and none was used up');
  });

  it('keeps two users apart who log in at once', async () => {
    const { app } = createTwoSteps();
    const [half, full] = [new Visitor(app), new Visitor(app)];
    await Promise.all([half.logIn('reader', 'reader'), full.logIn('admin', 'admin')]);
    const [mine, theirs] = await Promise.all([half.get('/'), full.get('/')]);
    assert.deepEqual([mine.body, theirs.body], ['{"user":null}', '{"user":"admin"}']);
  });

  it('a password in a header is not enough; a token is', async () => {
    const { app } = createTwoSteps((options) => ({
      ...options,
      firewalls: (options.firewalls ?? []).map((firewall) => ({
        ...firewall,
        entryPoint: 'http-basic',
        authenticators: [httpBasic(), accessToken({ handler: listedTokens({ t: 'reader' }) })],
      })),
    }));
    const ask = async (value: string): Promise<number> =>
      (await new Visitor(app).get('/members', { headers: { Authorization: value } })).status;
    const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
    assert.equal(await ask(basic('reader:reader')), 401);
    assert.equal(await ask(basic('admin:admin')), 200);
    assert.equal(await ask('Bearer t'), 200);
  });

  it('a second factor is refused without sessions', () => {
    assert.throws(() => createTwoSteps((options) => ({ ...options, sessions: false })), {
      code: 'SECURITY_NO_SESSIONS',
    });
  });
});

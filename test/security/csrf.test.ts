import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { annotate } from 'lookback';
import { accessToken, csrfProtected, httpBasic, listedTokens } from 'lookback/security';
import { createGuardedApp, type Guarded } from './guarded-app.js';
import { Visitor } from './visitor.js';

const createForms = (): Guarded =>
  createGuardedApp(undefined, [
    {
      path: '/hook',
      name: 'hook',
      methods: 'POST',
      controller: annotate(() => 'hooked', csrfProtected.of(false)),
    },
  ]);

const handler = listedTokens({ key: 'reader' });

describe('CSRF', () => {
  it('accepts requests from the site’s own pages, and refuses those from other pages', async () => {
    const visitor = new Visitor(createForms().app);
    await visitor.logIn('reader', 'reader');
    const form = { text: 'hello' };
    const own: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'same-origin' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: 'http://localhost:8000' },
    ];
    for (const headers of own) {
      assert.equal((await visitor.post('/comments', { form, headers, site: undefined })).status, 200);
    }
    const foreign: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'Same-Origin' },
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'http://localhost:8000' },
      { Origin: 'null' },
      { Origin: 'https://evil.example' },
      { Origin: 'http://localhost:8000.evil.example' },
      { Origin: 'http://localhost:8000/' },
      { Origin: 'http://localhost' },
      { Referer: 'http://localhost:8000/' },
      {},
    ];
    for (const headers of foreign) {
      for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/json', '']) {
        const visit = { form, headers: { ...headers, 'Content-Type': type }, site: undefined };
        assert.equal((await visitor.post('/comments', visit)).status, 403, JSON.stringify(visit.headers));
      }
      assert.equal(
        (await visitor.post('/comments', { headers, site: undefined })).status,
        403,
        'without a body or type',
      );
    }
  });

  it('accepts programs that send nothing that a browser would add', async () => {
    const program = new Visitor(createForms().app);
    assert.equal((await program.post('/comments', { site: undefined })).status, 200);
    const { app } = createGuardedApp((options) => ({
      ...options,
      firewalls: [{ name: 'main', authenticators: [httpBasic()] }],
    }));
    const headers = { Authorization: `Basic ${btoa('reader:reader')}` };
    assert.equal((await new Visitor(app).post('/comments', { headers, site: undefined })).status, 403);
    assert.equal((await new Visitor(app).post('/comments', { headers })).status, 200);
  });

  it('Basic credentials or certificates for a stateless firewall are accepted from programs and own pages, not from other sites', async () => {
    const { app } = createGuardedApp((options) => ({
      ...options,
      firewalls: [
        {
          name: 'main',
          stateless: true,
          authenticators: [httpBasic(), accessToken({ handler, header: 'X-API-Key' })],
          entryPoint: 'http-basic',
        },
      ],
    }));
    const basic = { Authorization: `Basic ${btoa('reader:reader')}` };
    const post = async (headers: Record<string, string>, site?: string): Promise<number> =>
      (await new Visitor(app).post('/comments', { headers, site })).status;
    assert.equal(await post(basic), 200);
    assert.equal(await post(basic, 'same-origin'), 200);
    for (const site of ['cross-site', 'same-site']) assert.equal(await post(basic, site), 403, site);
    assert.equal(await post({ ...basic, Origin: 'https://evil.example' }), 403);
    assert.equal(await post({ ...basic, Origin: 'null', 'Content-Type': 'text/plain' }), 403);
    assert.equal(
      (await new Visitor(app).get('/members', { headers: basic, site: 'cross-site' })).status,
      200,
    );
    // No browser adds a key by itself, so a script on another site that has one may use it.
    assert.equal(await post({ 'X-API-Key': 'key', Origin: 'https://friend.example' }, 'cross-site'), 200);
  });

  it('does not apply to an exempt controller or origin', async () => {
    const visitor = new Visitor(createForms().app);
    await visitor.logIn('reader', 'reader');
    assert.equal((await visitor.post('/hook', { site: 'cross-site' })).status, 200);
    const { app } = createGuardedApp((options) => ({
      ...options,
      csrf: { trustedOrigins: ['https://pay.example'] },
    }));
    const friend = new Visitor(app);
    await friend.logIn('reader', 'reader');
    const from = (origin: string): Promise<number> =>
      friend
        .post('/comments', { headers: { Origin: origin }, site: 'cross-site' })
        .then(({ status }) => status);
    assert.equal(await from('https://pay.example'), 200);
    assert.equal(await from('https://pay.example.evil'), 403);
  });
});

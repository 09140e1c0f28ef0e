import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import fc from 'fast-check';
import { type HttpRequest, HttpResponse } from 'lookback';
import { createSignedCookies, type Security, type SignedCookies } from 'lookback/security';
import { createGuardedApp, type Guarded } from './guarded-app.js';
import { Visitor, type VisitorOptions } from './visitor.js';

const first = 'the first secret of this test, long enough';
const second = 'the second secret of this test, long enough';

function asking(header: string, options?: VisitorOptions): HttpRequest {
  return new Visitor({ handle: () => assert.fail() }, options).request('GET', '/', {
    headers: { Cookie: header },
  });
}

/** The part of a set cookie that a browser keeps. */
function made(cookies: SignedCookies, name: string, value: string): string {
  const response = new HttpResponse(null);
  cookies.set(asking(''), response, { name, value });
  return response.headers.get('set-cookie')?.split(';')[0] ?? assert.fail();
}

describe('signed cookies', () => {
  it('return the stored value, whatever it is', () => {
    const cookies = createSignedCookies({ secret: first });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (value) => {
        assert.equal(cookies.get(asking(made(cookies, 'theme', value)), 'theme'), value);
      }),
    );
  });

  it('are invalid with a changed letter, under another name, or under another secret', () => {
    const cookies = createSignedCookies({ secret: first });
    const cookie = made(cookies, 'theme', 'dark');
    fc.assert(
      fc.property(
        fc.nat({ max: cookie.length - 7 }),
        fc.constantFrom('x', 'A', '0', '.', '-'),
        (at, letter) => {
          const index = at + 'theme='.length;
          const changed = cookie.slice(0, index) + letter + cookie.slice(index + 1);
          fc.pre(changed !== cookie);
          assert.equal(cookies.get(asking(changed), 'theme'), undefined);
        },
      ),
    );
    assert.equal(cookies.get(asking(cookie.replace('theme', 'role')), 'role'), undefined);
    assert.equal(createSignedCookies({ secret: second }).get(asking(cookie), 'theme'), undefined);
    for (const junk of ['', 'theme', 'theme=', 'theme=..', 'theme=1.a.b']) {
      assert.equal(cookies.get(asking(junk), 'theme'), undefined);
    }
  });

  it('survive a change of the secret, but no longer than their lifetime', () => {
    const old = made(createSignedCookies({ secret: first, lifetimeSeconds: 60 }), 'theme', 'dark');
    const rotated = createSignedCookies({ secret: [second, first] });
    assert.equal(rotated.get(asking(old), 'theme'), 'dark');
    const fresh = made(rotated, 'theme', 'dark');
    assert.equal(createSignedCookies({ secret: second }).get(asking(fresh), 'theme'), 'dark');
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 61_000 });
    try {
      assert.equal(rotated.get(asking(old), 'theme'), undefined);
    } finally {
      mock.timers.reset();
    }
  });

  it('are HttpOnly, Lax, and Secure if the request was', () => {
    const cookies = createSignedCookies({ secret: first, lifetimeSeconds: 60 });
    const sent = (encrypted: boolean, more: { readonly sameSite?: 'Strict' } = {}): string => {
      const response = new HttpResponse(null);
      cookies.set(asking('', { encrypted }), response, { name: 'theme', value: 'dark', ...more });
      const [, ...attributes] = (response.headers.get('set-cookie') ?? '').split('; ');
      return attributes.join('; ');
    };
    assert.equal(sent(true), 'Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Lax');
    assert.equal(sent(false), 'Path=/; Max-Age=60; HttpOnly; SameSite=Lax');
    assert.match(sent(true, { sameSite: 'Strict' }), /; HttpOnly; SameSite=Strict$/);
    const response = new HttpResponse(null);
    cookies.remove(asking(''), response, { name: 'theme' });
    assert.match(response.headers.get('set-cookie') ?? '', /^theme=;.*Max-Age=0/);
  });

  it('refuse values that no browser would keep, and weak secrets', () => {
    const cookies = createSignedCookies({ secret: first });
    const set = (value: string): void =>
      cookies.set(asking(''), new HttpResponse(null), { name: 'a', value });
    set('x'.repeat(2900));
    assert.throws(() => set('x'.repeat(3100)), { code: 'SECURITY_COOKIE_TOO_BIG' });
    assert.throws(() => createSignedCookies({ secret: 'short' }), { code: 'SECURITY_WEAK_SECRET' });
  });
});

describe('flash messages', () => {
  const create = (): Guarded => {
    const holder: { security?: Security } = {};
    const session = (request: HttpRequest): ReturnType<Security['session']> =>
      (holder.security ?? assert.fail()).session(request);
    const guarded = createGuardedApp(
      (options) => ({ ...options, csrf: false }),
      [
        {
          path: '/save',
          name: 'save',
          methods: 'POST',
          controller: async ({ request }: { request: HttpRequest }) => {
            const { query } = request;
            for (const text of query.getAll('text'))
              (await session(request)).flash(query.get('kind') ?? '', text);
            return HttpResponse.redirect('/messages');
          },
        },
        {
          path: '/messages',
          name: 'messages',
          controller: async ({ request }: { request: HttpRequest }) =>
            (await session(request)).takeFlashes(request.query.get('kind') ?? 'success'),
        },
      ],
    );
    holder.security = guarded.security;
    return guarded;
  };

  it('survive a redirect, are read once, and belong to one visitor', async () => {
    const { app } = create();
    const [ada, bob] = [new Visitor(app), new Visitor(app)];
    await ada.post('/save?kind=success&text=Saved.&text=Sent.');
    await bob.post('/save?kind=error&text=Refused.');
    assert.equal((await bob.get('/messages')).body, '[]');
    assert.equal((await ada.get('/messages')).body, '["Saved.","Sent."]');
    assert.equal((await ada.get('/messages')).body, '[]');
    assert.equal((await bob.get('/messages?kind=error')).body, '["Refused."]');
  });

  it('are at most twenty per kind, and a kind is any word', async () => {
    const visitor = new Visitor(create().app);
    const many = Array.from({ length: 30 }, (_, n) => `text=${n}`).join('&');
    await visitor.post(`/save?kind=__proto__&${many}`);
    assert.equal((await visitor.get('/messages?kind=constructor')).body, '[]');
    const kept = JSON.parse((await visitor.get('/messages?kind=__proto__')).body) as string[];
    assert.deepEqual([kept.length, kept[0], kept.at(-1)], [20, '10', '29']);
  });

  it('are shown by one of several pages requested at once', async () => {
    const visitor = new Visitor(create().app);
    await visitor.post('/save?kind=success&text=Once.');
    const answers = await Promise.all(Array.from({ length: 6 }, () => visitor.get('/messages')));
    assert.equal(answers.filter(({ body }) => body.includes('Once.')).length, 1);
  });
});

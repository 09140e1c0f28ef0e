import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp, HttpResponse } from 'lookback';
import { cspNonce, securityHeaders } from 'lookback/web';
import { overTransports } from './over-transports.js';

const quiet = { configuration: { profilerStore: 'off', debug: false }, logHandlers: [] } as const;
const policy =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'";

overTransports(
  'security headers',
  () => ({
    options: { configuration: { debug: false }, extensions: [securityHeaders()] },
    define: (app) => {
      app.get('/', () => 'x');
      app.get('/page', async () => {
        const nonce = cspNonce();
        await new Promise(setImmediate);
        return HttpResponse.html(`<script nonce="${nonce}"></script><style nonce="${cspNonce()}"></style>`);
      });
      app.get('/own', () =>
        HttpResponse.text('x', {
          headers: { 'content-security-policy': "default-src 'none'", 'REFERRER-POLICY': 'no-referrer' },
        }),
      );
      app.get('/throw', () => {
        throw new Error('x');
      });
    },
  }),
  (bench) => {
    it('are on every response, including errors, and HSTS only over HTTPS', async () => {
      const isTls = bench().name === 'TLS' || bench().name === 'HTTP/2';
      for (const path of ['/', '/missing', '/throw']) {
        const { field } = await bench().ask(path);
        assert.equal(field('x-content-type-options'), 'nosniff', path);
        assert.equal(field('referrer-policy'), 'strict-origin-when-cross-origin', path);
        assert.equal(field('cross-origin-opener-policy'), 'same-origin', path);
        assert.equal(field('cross-origin-resource-policy'), 'same-origin', path);
        assert.equal(
          field('strict-transport-security'),
          isTls ? 'max-age=15552000; includeSubDomains' : undefined,
          path,
        );
      }
      assert.equal((await bench().ask('/')).field('content-security-policy'), policy);
    });

    it('headers set on the response take precedence', async () => {
      const { field } = await bench().ask('/own');
      assert.equal(field('content-security-policy'), "default-src 'none'");
      assert.equal(field('referrer-policy'), 'no-referrer');
    });

    it('a nonce is new for each request, the same within it, and in the policy if it was requested', async () => {
      const answers = await Promise.all([bench().ask('/page'), bench().ask('/page')]);
      const nonces = answers.map(({ text, field }) => {
        const [first, second] = [...text.matchAll(/nonce="([\w-]{22})"/g)].map(([, nonce]) => nonce);
        assert.ok(first !== undefined && first === second);
        const sent = field('content-security-policy') ?? '';
        assert.ok(
          sent.includes(`script-src 'self' 'nonce-${first}'`) &&
            sent.includes(`style-src 'self' 'nonce-${first}'`),
          sent,
        );
        return first;
      });
      assert.notEqual(nonces[0], nonces[1]);
      assert.doesNotMatch((await bench().ask('/')).field('content-security-policy') ?? '', /nonce/);
    });
  },
);

describe('security headers', () => {
  it('each can be replaced or left out', async () => {
    const app = createApp(quiet).get('/', () => 'x');
    app.get('/elsewhere', () => 'x');
    app.use(
      securityHeaders({
        contentSecurityPolicy: {
          'script-src': ["'none'"],
          'img-src': null,
          'upgrade-insecure-requests': [],
          'connect-src': ["'self'", 'https://api.example.org'],
        },
        headers: {
          'referrer-policy': 'no-referrer',
          'Cross-Origin-Resource-Policy': false,
          'Permissions-Policy': 'camera=()',
        },
        reportOnly: true,
        paths: ['/'],
      }),
    );
    const { headers } = await app.fetch('/');
    assert.equal(headers.get('content-security-policy'), null);
    assert.equal(
      headers.get('content-security-policy-report-only'),
      "default-src 'self'; script-src 'none'; style-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'; upgrade-insecure-requests; connect-src 'self' https://api.example.org",
    );
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cross-origin-resource-policy'), null);
    assert.equal(headers.get('permissions-policy'), 'camera=()');
  });

  it('a nonce replaces ’none’', async () => {
    const app = createApp(quiet).use(
      securityHeaders({ contentSecurityPolicy: { 'script-src': ["'none'"] } }),
    );
    app.get('/', ({ request }) => cspNonce(request));
    const answer = await app.fetch('/');
    const sent = answer.headers.get('content-security-policy') ?? '';
    assert.ok(sent.includes(`script-src 'nonce-${await answer.text()}'`), sent);
  });

  it('no policy is sent if it is turned off, and there is no nonce outside a request', async () => {
    const app = createApp(quiet)
      .use(securityHeaders({ contentSecurityPolicy: false }))
      .get('/', () => 'x');
    assert.equal((await app.fetch('/')).headers.get('content-security-policy'), null);
    assert.throws(() => cspNonce(), { code: 'WEB_NO_REQUEST' });
  });

  it('a source that would end the directive is refused', () => {
    for (const bad of [
      { 'script-src': ["'self'; default-src *"] },
      { 'script-src': ['a b'] },
      { 'script-src': ['a,b'] },
      { 'Bad Name': [] },
    ])
      assert.throws(() => securityHeaders({ contentSecurityPolicy: bad }), { code: 'WEB_BAD_OPTION' });
  });
});

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sharedService, startService } from './service.js';
import type { Service } from './service.js';
import { ask, header, textOf } from './wire-client.js';
import { recordOf } from './record-client.js';

describe('error pages, over the wire', () => {
  let service: Service;
  before(async () => {
    service = await sharedService();
  });

  it('E1: outer message as heading, inner error first, excerpts, the log, a numbered trace', async () => {
    const response = await ask(service.url, '/no/such/page', { headers: { Accept: 'text/html' } });
    assert.match(header(response, 'content-type') ?? '', /^text\/html/);
    const heading = textOf(/<h1[^>]*>[\s\S]*?<\/h1>/.exec(response.body)?.[0] ?? '');
    assert.ok(heading.includes(`No route found for "GET ${service.url}/no/such/page"`), heading);
    const text = textOf(response.body.slice(response.body.indexOf('</h1>')));
    const inner = text.indexOf('ResourceNotFoundError');
    const outer = text.indexOf(
      'NotFoundError',
      text.indexOf('ResourceNotFoundError') + 'ResourceNotFoundError'.length,
    );
    assert.ok(inner !== -1 && outer !== -1 && inner < outer, 'inner error first');
    assert.ok(text.includes('No routes found for "/no/such/page/"'));
    const sections = response.body.split(/<section class="error"/).slice(1);
    assert.equal(sections.length, 2);
    for (const section of sections) {
      const code = textOf(
        /<details open>(?:(?!<\/details>)[^])*?(<pre class="code"[^]*?<\/pre>)/.exec(section)?.[1] ?? '',
      );
      assert.match(code, /→ \d+ .*new (?:ResourceNotFound|NotFound)Error ?\(/);
      assert.match(textOf(section), /pass-stages\.ts:\d+/);
    }
    assert.match(textOf(sections[0] ?? ''), /1\. notFound .* 2\. .* 3\. /, 'a numbered trace');
    const log = /<(section|details|div)[^>]*id="log"[^]*?<\/\1>/.exec(response.body)?.[0] ?? '';
    assert.match(textOf(log), /No route found for|Uncaught NotFoundError/);
  });

  it('E1: the pages for 405 and 400 have their message as heading, and with their records the code that threw', async () => {
    for (const [method, path, status] of [
      ['DELETE', '/_profiler/latest', 405],
      ['GET', '/%zz', 400],
    ] as const) {
      const response = await ask(service.url, path, { method, headers: { Accept: 'text/html' } });
      assert.equal(response.status, status, `${method} ${path}`);
      const sections = response.body.split(/<section class="error"/).slice(1);
      assert.ok(sections.length > 0, `${method} ${path}`);
      for (const section of sections) assert.match(section, /<pre class="code"/, `${method} ${path}`);
      const errors = (await recordOf(service.url, response)).exception?.errors ?? [];
      assert.equal(errors.length, sections.length);
      const heading = textOf(/<h1[^>]*>[^]*?<\/h1>/.exec(response.body)?.[0] ?? '');
      assert.ok(heading.includes(errors.at(-1)?.message ?? 'no error'), heading);
      for (const { frames } of errors)
        assert.ok(frames.find((frame) => frame.path !== undefined)?.excerpt !== undefined);
    }
  });

  it('E2: clients that name JSON, text or Markdown get the report in that form, and all others the page', async () => {
    const message = `No route found for "GET ${service.url}/no/such/page"`;
    const json = await ask(service.url, '/no/such/page', { headers: { Accept: 'application/json' } });
    assert.match(header(json, 'content-type') ?? '', /^application\/problem\+json/);
    const problem = JSON.parse(json.body) as { status: number; title: string; detail: string };
    assert.deepEqual([problem.status, problem.title, problem.detail], [404, 'Not Found', message]);
    for (const type of ['text/plain', 'text/markdown']) {
      const response = await ask(service.url, '/no/such/page', { headers: { Accept: type } });
      assert.ok((header(response, 'content-type') ?? '').startsWith(type), type);
      assert.ok(
        response.body.includes(message.replaceAll('"', response.body.includes('\\"') ? '\\"' : '"')),
        type,
      );
      assert.ok(response.body.includes('No routes found for'), type);
    }
    const page = await ask(service.url, '/no/such/page');
    assert.match(header(page, 'content-type') ?? '', /^text\/html/, 'without an Accept header: HTML');
    const anything = await ask(service.url, '/no/such/page', { headers: { Accept: '*/*' } });
    assert.match(header(anything, 'content-type') ?? '', /^text\/html/, 'Accept: */*: HTML');
    assert.equal(decodeURIComponent(header(page, 'x-debug-exception') ?? ''), message);
    assert.match(decodeURIComponent(header(page, 'x-debug-exception-file') ?? ''), /\.tsx?:\d+$/);
  });

  it("E2: outside debug, only status and title are sent, without lookback's headers", async () => {
    const production = await startService({ APP_ENV: 'prod' });
    try {
      const anything = await ask(production.url, '/no/such/page', { headers: { Accept: '*/*' } });
      assert.match(header(anything, 'content-type') ?? '', /^application\/problem\+json/);
      for (const accept of ['text/html', 'application/json', 'text/plain']) {
        const response = await ask(production.url, '/no/such/page', { headers: { Accept: accept } });
        assert.equal(response.status, 404);
        assert.doesNotMatch(response.body, /No route|such|\.ts|at \w+ \(/);
        if (accept === 'application/json') {
          const problem = JSON.parse(response.body) as Record<string, unknown>; // a problem document
          assert.deepEqual(problem, { type: 'about:blank', title: 'Not Found', status: 404 });
        } else {
          const page = textOf(response.body.replace(/<head>[^]*<\/head>/, ''));
          assert.equal(page.trim().replaceAll(/ +/g, ' '), '404 Not Found', accept);
        }
        for (const [name] of response.headers) assert.doesNotMatch(name, /^x-debug|^x-robots/);
      }
      assert.equal((await ask(production.url, '/_profiler/')).status, 404);
      assert.equal(
        (await ask(production.url, '/_profiler/latest')).body,
        (await ask(production.url, '/_profiler2/latest')).body,
      );
    } finally {
      await production.stop();
    }
  });

  it('E3: no attacker-controlled text becomes markup, and a strict policy applies', async () => {
    const payload = '<script>alert(1)</script><img src=x onerror=alert(2)>';
    const response = await ask(service.url, `/${payload.replaceAll(' ', '%20')}`, {
      headers: {
        Accept: 'text/html',
        Referer: `http://x/${payload}`,
        'User-Agent': payload,
        'X-Thing': `"'>${payload}`,
        Cookie: `a=${payload.replaceAll(';', '')}`,
      },
    });
    assert.equal(response.status, 404);
    assert.doesNotMatch(response.body, /<script>alert|<img/);
    const escaped = '&lt;script>alert(1)&lt;/script>&lt;img src=x onerror=alert(2)>';
    for (const shown of [
      `for &quot;/${escaped}/&quot;`,
      `(from &quot;http://x/${escaped}&quot;)</h1>`,
      `User-Agent</dt><dd>${escaped}</dd>`,
      `X-Thing</dt><dd>&quot;'>${escaped}</dd>`,
    ])
      // Bun converts header names to lower case.
      assert.ok(response.body.toLowerCase().includes(shown.toLowerCase()), `the page shows ${shown} as text`);
    const policy = header(response, 'content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval|\*/);
  });
});

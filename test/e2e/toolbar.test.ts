import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createApp, HttpResponse, type RunningServer } from 'lookback';
import { attach } from 'lookback/attach';
import { assertAccessible, openWatched } from './check-page.js';
import { launchBrowser } from './launch-browser.js';

const pageNonce = 'dG9vbGJhci1ub25jZS0x';
const pagePolicies: Readonly<Record<string, string>> = {
  none: '',
  self: "default-src 'self'; img-src data:",
  nonce: `default-src 'none'; img-src data:; connect-src 'self'; script-src 'nonce-${pageNonce}' 'strict-dynamic'; require-trusted-types-for 'script'`,
  strict: "default-src 'none'; img-src data:; style-src 'unsafe-inline'",
  deaf: "script-src 'self'; connect-src 'none'",
};

const app = createApp({ configuration: { debug: true, profilerStore: 'memory:' } });
app.get('/page/{policy}', ({ params }) => {
  const policy = pagePolicies[String(params.policy)] ?? '';
  const html =
    '<!doctype html><html lang="en"><head><title>Articles</title><link rel="icon" href="data:,"></head>' +
    '<body><main><h1>Articles</h1><p>Nothing to read yet.</p></main></body></html>';
  return HttpResponse.html(html, { headers: policy === '' ? {} : { 'Content-Security-Policy': policy } });
});
app.get('/early', () =>
  HttpResponse.html(
    '<!doctype html><html lang="en"><head><title>Early</title><link rel="icon" href="data:,"><script>window.early = fetch("/data?early")</script></head><body><h1>Early</h1></body></html>',
  ),
);
app.get('/data', () => ({ ok: true }));
app.get('/broken', () => HttpResponse.json({ ok: false }, { status: 503 }));
app.get('/cached', ({ request }) =>
  request.headers.get('if-none-match') === 'W/"v1"'
    ? HttpResponse.empty(304)
    : HttpResponse.html(
        '<!doctype html><html lang="en"><head><title>Cached</title><link rel="icon" href="data:,"></head><body><h1>Cached</h1></body></html>',
        {
          headers: { ETag: '"v1"', 'Cache-Control': 'no-cache' },
        },
      ),
);
/** Pages whose styles or layout could displace the toolbar. */
const hostilePages: Readonly<Record<string, string>> = {
  unset: '<style>* { all: unset }</style><h1>Unset</h1>',
  important:
    '<style>* { position: static !important; width: 10px !important; opacity: 0.5 }</style><h1>Important</h1>',
  rtl: '<script>document.dir = "rtl"</script><h1>RTL</h1>',
  cookies:
    '<h1>Cookies</h1><div style="position: fixed; inset: auto 0 0 0; height: 80px; z-index: 2147483647; background: pink">We value your privacy</div>',
};
app.get('/hostile/{kind}', ({ params }) =>
  HttpResponse.html(
    `<!doctype html><html lang="en"><head><title>Hostile</title><link rel="icon" href="data:,"></head><body>${hostilePages[String(params.kind)] ?? ''}</body></html>`,
  ),
);
/** Pages whose scripts fail, or replace the page. */
const scriptedPages: Readonly<Record<string, string>> = {
  failing:
    '<img src="/no-image.png" alt=""><script src="/no-script.js"></script><script>setTimeout(() => { null.x }, 200)</script>',
  fetching: `<script>window.follow = async (path) => {
    const answer = await fetch(path);
    document.body.innerHTML = await answer.text();
    history.pushState({}, '', path);
  }</script>`,
  pushing: `<script>window.follow = (path) => {
    history.pushState({}, '', path);
    const request = new XMLHttpRequest();
    request.open('GET', path);
    request.onload = () => { document.body.innerHTML = request.responseText };
    request.send();
  }</script>`,
  based: '<base href="http://127.0.0.2:1/elsewhere/">',
};
app.get('/scripted/{kind}', ({ params }) =>
  HttpResponse.html(
    `<!doctype html><html lang="en"><head><title>Scripted</title><link rel="icon" href="data:,">${scriptedPages[String(params.kind)] ?? ''}</head><body><h1>Scripted</h1></body></html>`,
  ),
);
app.get('/next', () => HttpResponse.html('<h1>Next</h1>'), { name: 'next' });
app.post('/save', () => HttpResponse.redirect('/page/none?saved=1', { status: 303 }));

let server: RunningServer;
let browser: Browser;

before(async () => {
  server = await app.listen({ host: '127.0.0.1', port: 0 });
  browser = await launchBrowser();
});
after(() => app.close());

async function visit(
  path: string,
  options: BrowserContextOptions,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options);
  try {
    const { page, faults } = await openWatched(context, server.url + path);
    await look(page);
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('503')),
      [],
      path,
    );
  } finally {
    await context.close();
  }
}

const strip = (page: Page) => page.locator('lookback-toolbar section');
const entry = (page: Page, id: string) => strip(page).locator(`[data-entry=${id}]`);
const record = (page: Page) => entry(page, 'status');
const card = (page: Page) => page.locator('lookback-toolbar .card:visible');

/** The token of the record that the toolbar has opened. */
async function tokenShown(page: Page): Promise<string> {
  await record(page).waitFor();
  return (await page.locator('lookback-toolbar').getAttribute('data-token')) ?? '';
}

describe('the toolbar in a browser', () => {
  for (const policy of ['none', 'self', 'nonce'])
    it(`shows the page's record; its policy: ${policy}`, async () => {
      await visit(`/page/${policy}`, {}, async (page) => {
        const answer = await page.reload();
        assert.equal(await tokenShown(page), answer?.headers()['x-debug-token']);
        assert.match(await strip(page).innerText(), /200[^]*ms/);
        await record(page).click();
        await page.waitForURL(`**/_profiler/${answer?.headers()['x-debug-token']}`);
      });
    });

  for (const kind of ['fetching', 'pushing'])
    it(`follows a page that its script replaces: ${kind}`, async () => {
      await visit(`/scripted/${kind}`, {}, async (page) => {
        const first = await tokenShown(page);
        await page.evaluate(`follow('/next')`);
        await entry(page, 'route').filter({ hasText: 'next' }).waitFor();
        assert.notEqual(await tokenShown(page), first);
        const href = await record(page).getAttribute('href');
        assert.ok(href?.endsWith(`/_profiler/${await tokenShown(page)}`), String(href));
      });
    });

  it('is in a page whose base element names another origin, and its own links still work', async () => {
    await visit('/scripted/based', {}, async (page) => {
      const token = await tokenShown(page);
      await record(page).click();
      await page.waitForURL(`${server.url}/_profiler/${token}`);
    });
  });

  it('reports once what the browser saw: errors, files that failed to load, and timings', async () => {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      const answered = page.waitForResponse((answer) => answer.url().endsWith('/browser'));
      await page.goto(`${server.url}/scripted/failing`);
      const token = await tokenShown(page);
      assert.equal((await answered).status(), 204);
      await page.goto(`${server.url}/_profiler/${token}?panel=browser`);
      const text = await page.locator('section.panel').innerText();
      assert.match(text, /The server took [\d.]+ m?s, the page [\d.]+ m?s until/);
      assert.match(text, /TypeError: Cannot read properties of null/);
      assert.match(text, /\/no-image\.png[^]*404/);
      assert.match(text, /\/no-script\.js[^]*404/);
    } finally {
      await context.close();
    }
  });

  for (const policy of ['strict', 'deaf'])
    it(`is missing from a page whose policy forbids it: ${policy}`, async () => {
      await visit(`/page/${policy}`, {}, async (page) => {
        assert.equal(await page.locator('script, lookback-toolbar').count(), 0);
      });
    });

  it('is in a page that another server streams, with the script after its end', async () => {
    const parts = [
      '<!doctype html><html lang="en"><head><title>Parts</title>',
      '<link rel="icon" href="data:,">',
    ];
    const other = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.flushHeaders();
      for (const part of [...parts, '</head><body><h1>Parts</h1></body></html>']) response.write(part);
      setImmediate(() => response.end());
    });
    const attached = attach(other, { store: 'memory:' });
    await new Promise<void>((listening) => void other.listen(0, '127.0.0.1', listening));
    const { port } = other.address() as AddressInfo; // it listens on a port
    const context = await browser.newContext();
    const { page, faults } = await openWatched(context, `http://127.0.0.1:${port}/`);
    const answer = await page.reload();
    assert.equal(await tokenShown(page), answer?.headers()['x-debug-token']);
    assert.deepEqual(faults, []);
    const names = await page.evaluate('[...document.body.children].map(({ tagName }) => tagName).join()');
    assert.equal(names, 'H1,SCRIPT');
    await context.close();
    await attached.close();
    other.closeAllConnections();
    other.close();
  });

  it('observes fetch and XMLHttpRequest, and leaves both unchanged', async () => {
    await visit('/page/none', {}, async (page) => {
      await record(page).waitFor();
      const seen = await page
        .evaluate<unknown[]>(`(async () => {
        const first = await fetch('/data?a', { method: 'get' });
        const second = await fetch(new Request('/broken'));
        const third = await new Promise((resolve) => {
          const request = new XMLHttpRequest();
          request.open('GET', '/data?x');
          request.onloadend = () => resolve(request.responseText);
          request.send();
        });
        const failed = await fetch('http://[').catch((error) => error.name);
        return [await first.json(), second.status, third, failed, fetch.name, fetch.length];
      })()`)
        .catch((error: unknown) => [String(error)]);
      assert.deepEqual(seen, [{ ok: true }, 503, '{"ok":true}', 'TypeError', 'fetch', 1]);
      const button = strip(page).getByRole('button', { name: '3 fetches 1 failed' });
      await button.click();
      const rows = page.getByRole('region', { name: 'Requests of this page' }).getByRole('link');
      assert.deepEqual(
        (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').replace(/ [\d.]+ m?s$/, '')),
        ['200 GET /data?x', '503 GET /broken', '200 GET /data?a'],
      );
      const [list, bar] = [await rows.first().boundingBox(), await strip(page).boundingBox()];
      assert.ok((list?.y ?? 0) < (bar?.y ?? 0), 'the list opens above the toolbar');
      await page.keyboard.press('Escape');
      assert.equal(await rows.count(), 0, 'closed by key');
      await button.click();
      await rows.nth(1).click();
      await page.waitForURL(/\/_profiler\/[0-9a-f]{6}$/);
      assert.match(await page.locator('h1').innerText(), /broken/);
    });
  });

  it('includes requests sent before it ran', async () => {
    await visit('/early', {}, async (page) => {
      await page.evaluate('window.early.then((answer) => answer.json())');
      await page.reload();
      await strip(page).getByRole('button', { name: '1 fetch', exact: true }).click();
      assert.match(
        await page.getByRole('region', { name: 'Requests of this page' }).innerText(),
        /\/data\?early/,
      );
    });
  });

  it("leads from the page after a redirect to the form's record", async () => {
    await visit('/page/none', {}, async (page) => {
      const sent = page.waitForResponse((answer) => answer.url().endsWith('/save'));
      await page.evaluate(
        `(() => { const form = document.createElement('form'); form.method = 'post'; form.action = '/save'; document.body.append(form); form.submit(); })()`,
      );
      const token = (await sent).headers()['x-debug-token'] ?? '';
      await page.waitForURL('**/page/none?saved=1');
      await entry(page, 'previous').click();
      await page.waitForURL(`**/_profiler/${token}`);
      await page.goto(`${server.url}/page/none?saved=1`);
      await record(page).waitFor();
      assert.equal(await entry(page, 'previous').count(), 0, 'only once');
    });
  });

  it("shows the revalidation's record if the page itself came from the cache", async () => {
    await visit('/cached', {}, async (page) => {
      const first = await tokenShown(page);
      const again = page.waitForResponse((answer) => answer.url().endsWith('/cached'));
      await page.goto(`${server.url}/page/none`);
      await page.goto(`${server.url}/cached`);
      const second = await tokenShown(page);
      assert.notEqual(second, first);
      assert.equal(second, (await again.catch(() => undefined))?.headers()['x-debug-token'] ?? second);
      const latest = await app.profiler?.find(second);
      assert.equal(latest?.kind === 'found' && latest.record.response?.status, 304);
    });
  });

  it('is hidden and shown again by keyboard, and the browser remembers the choice', async () => {
    await visit('/page/none', {}, async (page) => {
      await record(page).waitFor();
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Enter');
      const tab = page.getByRole('button', { name: 'Show the toolbar' });
      await tab.waitFor();
      await page.reload();
      await tab.waitFor();
      assert.equal(await strip(page).isVisible(), false);
      const box = await tab.boundingBox();
      assert.deepEqual([box?.width, box?.height], [36, 36]);
      await tab.press('Enter');
      assert.equal((await strip(page).boundingBox())?.height, 36);
    });
  });

  it("opens an entry's card on hover, keeps it open on the way there, and closes it afterwards", async () => {
    await visit('/page/none', {}, async (page) => {
      await entry(page, 'time').hover();
      const text = await card(page).innerText();
      assert.match(text, /^[\d.]+ m?s\s/);
      assert.match(
        text,
        /usual [\d.]+ m?s \(|of this route so far|the only request of this route so far|no route (?:matched|recorded)/,
      );
      assert.match(text, / m?s\s+\d+ %\s+Open record\s+All steps\s+Compare with the last successful request/);
      const [bar, below] = [await card(page).boundingBox(), await strip(page).boundingBox()];
      assert.ok((bar?.y ?? 0) + (bar?.height ?? 0) <= (below?.y ?? 0) + 1, 'above the bar');
      await card(page).getByRole('link', { name: 'All steps' }).hover();
      assert.equal(await card(page).count(), 1);
      await page.mouse.move(600, 100);
      await card(page).waitFor({ state: 'detached' });
      await entry(page, 'time').click();
      await page.waitForURL('**?panel=time');
    });
  });

  it('opens each card by keyboard, with its links after its entry; Escape closes it', async () => {
    await visit('/page/none', {}, async (page) => {
      await record(page).focus();
      assert.match(await card(page).innerText(), /^200 OK/);
      await page.keyboard.press('Tab');
      const focused = 'document.querySelector("lookback-toolbar").shadowRoot.activeElement.textContent';
      assert.equal(await page.evaluate(focused), 'GET /page/none');
      await page.keyboard.press('Escape');
      assert.equal(await card(page).count(), 0);
      assert.match(String(await page.evaluate(focused)), /200/);
    });
  });

  it('opens a card on the first touch, and follows the link on the second', async () => {
    await visit('/page/none', { hasTouch: true }, async (page) => {
      await record(page).waitFor();
      await entry(page, 'time').tap();
      await card(page).waitFor();
      assert.match(page.url(), /\/page\/none$/);
      await entry(page, 'time').tap();
      await page.waitForURL('**?panel=time');
    });
  });

  for (const kind of Object.keys(hostilePages))
    it(`stays in place, left to right, and clickable, over a page that could displace it: ${kind}`, async () => {
      await visit(`/hostile/${kind}`, { viewport: { width: 800, height: 600 } }, async (page) => {
        await record(page).waitFor();
        assert.deepEqual(await strip(page).boundingBox(), { x: 0, y: 564, width: 800, height: 36 });
        const [first, last] = [
          await record(page).boundingBox(),
          await strip(page).getByTitle('Close').boundingBox(),
        ];
        assert.ok((first?.x ?? 800) < 100 && (last?.x ?? 0) > 700);
        await record(page).click();
        await page.waitForURL(/\/_profiler\/[0-9a-f]{6}$/);
      });
    });

  it('has no target smaller than 24 pixels', async () => {
    await visit('/page/none', {}, async (page) => {
      await record(page).focus();
      const targets = page.locator('lookback-toolbar :is(.close, .entry, .links a):visible');
      const sizes = await targets.evaluateAll((found) =>
        found.map((target) => [target.textContent, target.getBoundingClientRect()] as const),
      );
      assert.ok(sizes.length > 5);
      for (const [name, { width, height }] of sizes)
        assert.ok(width >= 24 && height >= 24, `${name}: ${width} × ${height}`);
    });
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`passes axe in a ${colorScheme} window, fits 320 px and is not printed`, async () => {
      await visit('/page/none', { colorScheme, viewport: { width: 320, height: 480 } }, async (page) => {
        await record(page).waitFor();
        await page.evaluate("Promise.all([fetch('/data'), fetch('/broken')])");
        await strip(page).getByRole('button', { name: '2 fetches 1 failed' }).click();
        await assertAccessible(page, colorScheme);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
        await page.emulateMedia({ media: 'print' });
        assert.equal(await strip(page).isVisible(), false);
      });
    });
});

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page, Response } from 'playwright-core';
import { createApp, HttpResponse, responseEvent, type RunningServer } from 'lookback';
import { launchBrowser } from './launch-browser.js';

// A person follows a link from another site, a mail, a chat or the front end's development server on another port, and reloads the page.
// The other pages are served under names that the browser resolves to this machine.

const app = createApp({ configuration: { debug: true, profilerStore: 'memory:' }, logHandlers: [] });
app.get('/page', () =>
  HttpResponse.html(
    '<!doctype html><html lang="en"><head><title>Page</title></head><body><h1>Page</h1></body></html>',
  ),
);
/** The responses as sent, because the browser hides those that it withholds from a page. */
const seen: string[] = [];
app.on(
  responseEvent,
  ({ response }) =>
    void seen.push(`${response.status} ${response.headers.get('x-debug-token') ?? 'no token'}`),
  { priority: -100_000 },
);
app.get('/login', () => HttpResponse.redirect('/page'));

let server: RunningServer;
let browser: Browser;
let targets: readonly string[] = [];

/** A page with two links to each target, one in this tab and one in a new one. */
const linking = createServer((_request, response) => {
  const links = targets.map(
    (href, index) =>
      `<a id="here${index}" href="${href}">here</a> <a id="tab${index}" target="_blank" rel="opener" href="${href}">tab</a>`,
  );
  response.setHeader('Content-Type', 'text/html');
  response.end(
    `<!doctype html><html lang="en"><head><title>Inbox</title></head><body>${links.join('')}</body></html>`,
  );
});

before(async () => {
  server = await app.listen({ host: '127.0.0.1', port: 0 });
  await new Promise<void>((resolve) => linking.listen(0, '127.0.0.1', resolve));
  browser = await launchBrowser();
});
after(async () => {
  linking.close();
  linking.closeAllConnections();
  await app.close();
});

const portOf = (): number => (linking.address() as AddressInfo).port; // it listens on a port
/** Another port of this machine, under both of its names and another name: `*.localhost` is another site. */
const origins = (): readonly string[] =>
  ['localhost', '127.0.0.1', 'mail.localhost'].map((host) => `http://${host}:${portOf()}`);

async function withPage(
  origin: string,
  look: (page: Page, context: BrowserContext) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(origin);
    await look(page, context);
  } finally {
    await context.close();
  }
}

/** Follows a link, and returns its page's response, after redirects. */
async function follow(page: Page, link: string): Promise<Response> {
  const isPage = (response: Response): boolean =>
    response.request().isNavigationRequest() && (response.status() < 300 || response.status() >= 400);
  const [answer] = await Promise.all([page.waitForResponse(isPage), page.click(link)]);
  await page.waitForLoadState();
  return answer;
}

describe('a link from another site, in Chromium', () => {
  it('leads to the debug page, the toolbar, the profiler and a record, also after a reload', async () => {
    const known = await fetch(`${server.url}/page`);
    const token = known.headers.get('x-debug-token') ?? '';
    for (const [from, origin] of origins().entries())
      for (const [to, host] of ['localhost', '127.0.0.1'].entries()) {
        const base = `http://${host}:${server.port}`;
        targets = [`${base}/nothing`, `${base}/page`, `${base}/_profiler/`, `${base}/_profiler/${token}`];
        await withPage(origin, async (page) => {
          for (const [index, seen] of ['No route found for', 'Page', 'Requests', 'GET /page'].entries()) {
            // Every page is opened from its own site; from each other site, half of them are, and each under both names.
            if (from !== to && (from + to + index) % 2 === 0) continue;
            if (page.url() !== `${origin}/`) await page.goto(origin);
            const where = `${origin} to ${targets[index]}`;
            const answer = await follow(page, `#here${index}`);
            assert.match(answer.headers()['x-debug-token'] ?? '', /^[0-9a-f]{6}$/, where);
            assert.ok((await page.innerText('body')).includes(seen), where);
            const again = await page.reload();
            assert.match(again?.headers()['x-debug-token'] ?? '', /^[0-9a-f]{6}$/, `${where}, loaded again`);
            assert.ok((await page.innerText('body')).includes(seen), `${where}, loaded again`);
            if (index === 1) await page.waitForSelector('lookback-toolbar', { state: 'attached' });
          }
        });
      }
  });

  it('leads through a redirect, as from an identity provider, to a page with token and toolbar', async () => {
    targets = [`${server.url}/login`];
    for (const origin of origins())
      await withPage(origin, async (page) => {
        const answer = await follow(page, '#here0');
        assert.equal(new URL(answer.url()).pathname, '/page');
        assert.match(answer.headers()['x-debug-token'] ?? '', /^[0-9a-f]{6}$/, origin);
        await page.waitForSelector('lookback-toolbar', { state: 'attached' });
      });
  });

  it('in a new tab gives the other site no reference to debug pages, and keeps the opener for application pages', async () => {
    targets = [`${server.url}/nothing`, `${server.url}/page`, `${server.url}/_profiler/`];
    for (const [index, hasOpener] of [false, true, false].entries())
      await withPage(origins()[2] ?? '', async (page, context) => {
        const [tab] = await Promise.all([context.waitForEvent('page'), page.click(`#tab${index}`)]);
        await tab.waitForLoadState();
        assert.equal(await tab.evaluate(() => window.opener !== null), hasOpener, targets[index]);
      });
  });

  it('does not open debug pages to an image, a script, a frame or a fetch on the other site', async () => {
    await withPage(origins()[2] ?? '', async (page) => {
      seen.length = 0;
      await page.evaluate(async (base) => {
        const loaded = (element: HTMLElement): Promise<void> =>
          new Promise((resolve) => {
            element.addEventListener('load', () => resolve());
            element.addEventListener('error', () => resolve());
            document.body.append(element);
          });
        const source = (name: 'img' | 'script' | 'iframe', path: string): Promise<void> =>
          loaded(Object.assign(document.createElement(name), { src: base + path }));
        await source('img', '/nothing');
        await source('script', '/_profiler/toolbar.js');
        await source('iframe', '/page');
        await source('iframe', '/_profiler/');
        await fetch(`${base}/_profiler/latest.json`, { mode: 'no-cors' }).catch(() => undefined);
      }, server.url);
      assert.deepEqual(seen.sort(), [
        '200 no token',
        '404 no token',
        '404 no token',
        '404 no token',
        '404 no token',
      ]);
    });
  });
});

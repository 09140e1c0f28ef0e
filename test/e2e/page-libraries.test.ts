import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { createApp, HttpResponse, type RunningServer } from 'lookback';
import { openWatched } from './check-page.js';
import { launchBrowser } from './launch-browser.js';

// The toolbar on pages with real libraries that replace a page without loading it.

const fileOf = (name: string): string => createRequire(import.meta.url).resolve(name);

const inertiaScript = `
  import { router } from '@inertiajs/core';
  const element = document.getElementById('app');
  void router.init({
    initialPage: JSON.parse(element.dataset.page),
    resolveComponent: (name) => name,
    swapComponent: async ({ component }) => { element.innerHTML = '<h1>' + component + '</h1>'; },
  });
  window.follow = (path) => router.visit(path);
  window.isReady = true;`;

const scripts: Readonly<Record<string, () => Promise<string>>> = {
  turbo: async () => readFileSync(fileOf('@hotwired/turbo'), 'utf8'),
  htmx: async () => readFileSync(fileOf('htmx.org/dist/htmx.js'), 'utf8'),
  inertia: async () => {
    const { outputFiles } = await build({
      stdin: { contents: inertiaScript, resolveDir: process.cwd() },
      bundle: true,
      format: 'iife',
      write: false,
      define: { 'process.env.NODE_ENV': '"production"' },
    });
    return outputFiles[0]?.text ?? '';
  },
};

const app = createApp({ configuration: { debug: true, profilerStore: 'memory:' } });
app.get('/scripts/{name}.js', async ({ params }) => {
  const text = await scripts[String(params.name)]?.();
  return HttpResponse.text(text ?? '', { headers: { 'Content-Type': 'text/javascript' } });
});
const page = (library: string, body: string): HttpResponse =>
  HttpResponse.html(
    `<!doctype html><html lang="en"><head><title>Page</title><link rel="icon" href="data:,"><script src="/scripts/${library}.js" ${library === 'turbo' ? 'type="module"' : 'defer'}></script></head><body>${body}</body></html>`,
  );
const links =
  '<a href="/turbo/second">Follow</a> <form method="post" action="/turbo/save"><button>Save</button></form>';
app.get('/turbo/{name}', ({ params }) => page('turbo', `<h1>${String(params.name)}</h1>${links}`));
app.post('/turbo/save', () => HttpResponse.redirect('/turbo/saved', { status: 303 }));
app.get('/htmx/first', () =>
  page(
    'htmx',
    '<main><h1>first</h1><a hx-get="/htmx/second" hx-target="main" hx-push-url="true">Follow</a></main>' +
      '<button hx-get="/htmx/part" hx-target="#part">Load</button><p id="part"></p>',
  ),
);
app.get('/htmx/second', () => HttpResponse.html('<h1>second</h1>'));
app.get('/htmx/part', () => HttpResponse.html('a part'));
app.get('/inertia/{name}', ({ params, request }) => {
  const name = String(params.name);
  const data = { component: name, props: { errors: {} }, url: `/inertia/${name}`, version: null };
  if (request.headers.get('x-inertia') === 'true')
    return HttpResponse.json(data, { headers: { 'X-Inertia': 'true', Vary: 'X-Inertia' } });
  const shown = JSON.stringify(data).replaceAll('"', '&quot;');
  return page('inertia', `<div id="app" data-page="${shown}"></div>`);
});

let server: RunningServer;
let browser: Browser;
before(async () => {
  server = await app.listen({ host: '127.0.0.1', port: 0 });
  browser = await launchBrowser();
});
after(() => app.close());

async function visit(path: string, look: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext();
  try {
    const opened = await openWatched(context, server.url + path);
    await look(opened.page);
    assert.deepEqual(opened.faults, [], path);
  } finally {
    await context.close();
  }
}

/** Waits until the toolbar shows the record for a path. */
async function toolbarShows(page: Page, path: string, method = 'GET'): Promise<void> {
  await page.locator('lookback-toolbar [data-entry=status]').waitFor();
  await page.waitForFunction(
    async ([wanted, verb]) => {
      const token = document.querySelector('lookback-toolbar')?.getAttribute('data-token') ?? '';
      const answer = await fetch(`/_profiler/${token}.json`);
      if (!answer.ok) return false;
      const { request } = await answer.json();
      return request.target === wanted && request.method === verb;
    },
    [path, method],
  );
}

describe('the toolbar on a page that a library replaces', () => {
  it('follows a Turbo link and form', async () => {
    await visit('/turbo/first', async (page) => {
      await toolbarShows(page, '/turbo/first');
      await page.getByRole('link', { name: 'Follow' }).click();
      await page.getByRole('heading', { name: 'second' }).waitFor();
      await toolbarShows(page, '/turbo/second');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'saved' }).waitFor();
      await toolbarShows(page, '/turbo/saved');
      assert.equal(await page.locator('lookback-toolbar').count(), 1);
    });
  });

  it('follows a URL that htmx pushes, and stays with the page if only a fragment is loaded', async () => {
    await visit('/htmx/first', async (page) => {
      await toolbarShows(page, '/htmx/first');
      await page.getByRole('button', { name: 'Load' }).click();
      await page.getByText('a part').waitFor();
      await toolbarShows(page, '/htmx/first');
      assert.match(await page.locator('lookback-toolbar .fetches').innerText(), /1/);
      await page.getByText('Follow').click();
      await page.getByRole('heading', { name: 'second' }).waitFor();
      await toolbarShows(page, '/htmx/second');
    });
  });

  it('follows an Inertia visit', async () => {
    await visit('/inertia/first', async (page) => {
      await page.getByRole('heading', { name: 'first' }).waitFor();
      await toolbarShows(page, '/inertia/first');
      await page.evaluate(`follow('/inertia/second')`);
      await page.getByRole('heading', { name: 'second' }).waitFor();
      await toolbarShows(page, '/inertia/second');
    });
  });
});

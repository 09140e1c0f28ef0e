import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createApp } from 'lookback';
import { follow, openWatched } from './check-page.js';
import { launchBrowser } from './launch-browser.js';

describe('two records compared in a browser', () => {
  const app = createApp({
    configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
    logHandlers: [],
    profiler: {
      sections: [{ id: 'weather', collect: () => ({ sky: `sky ${++skies}` }) }],
    },
  });
  let skies = 0;
  let isBroken = false;
  app.get('/article/{id}', ({ params }) => {
    if (isBroken) throw new Error('Broken for now');
    return `article ${params.id}`;
  });
  let browser: Browser;
  let origin: string;
  const tokens: string[] = [];
  before(async () => {
    origin = (await app.listen({ port: 0, host: '127.0.0.1' })).url;
    for (const path of ['/article/1', '/article/2?page=3', '/nowhere', '/article/3']) {
      isBroken = path === '/article/3';
      const answer = await fetch(origin + path);
      await answer.text();
      tokens.push(answer.headers.get('x-debug-token') ?? '');
    }
    browser = await launchBrowser();
  });
  after(() => app.close());

  const visit = async (
    path: string,
    options: BrowserContextOptions,
    look: (page: Page) => Promise<void>,
  ): Promise<void> => {
    const context = await browser.newContext(options);
    try {
      const { page, faults } = await openWatched(context, origin + path);
      await look(page);
      assert.deepEqual(faults, [], path);
    } finally {
      await context.close();
    }
  };
  const panelOf = async (page: Page, name: string): Promise<string> => {
    const fold = page.locator('.comparison details', {
      has: page.getByRole('heading', { name, exact: true }),
    });
    await fold.locator('summary').first().click();
    return fold.innerText();
  };

  it('shows each panel as a difference, including unknown sections', async () => {
    await visit(
      `/_profiler/compare/${tokens[0]}/${tokens[1]}`,
      { javaScriptEnabled: false },
      async (page) => {
        const sent = await page.locator('.comparison > section', { hasText: 'Differences in the request' });
        assert.match(await sent.innerText(), /path: id\s+"1"\s+"2"[^]*query: page\s+not sent\s+3/);
        assert.match(await panelOf(page, 'Response'), /"?article 1"?\s+"?article 2"?/);
        assert.match(await panelOf(page, 'Other data'), /sky \d[\s\S]*sky \d/);
        assert.match(await page.locator('.same').innerText(), /^Same in both: .*Security/);
        assert.match(await page.locator('h1').innerText(), /^[+−][\d.]+\s*m?s/);
        assert.notEqual(await page.locator('.answer').innerText(), '');
      },
    );
  });

  it('opens from the list by selecting two rows, without a script and by keyboard', async () => {
    await visit('/_profiler/', { javaScriptEnabled: false }, async (page) => {
      await page.getByLabel(`Compare ${tokens[0]}`).check();
      await page.getByLabel(`Compare ${tokens[2]}`).check();
      await follow(page.getByRole('button', { name: 'Compare selected' }));
      assert.ok(page.url().endsWith(`${tokens[2]}/${tokens[0]}`));
    });
    await visit('/_profiler/', {}, async (page) => {
      for (const key of ['j', 'c', 'j', 'c']) await page.keyboard.press(key);
      await page.waitForURL(`**/compare/${tokens[3]}/${tokens[2]}`);
    });
    await visit('/_profiler/compare?t=abcdef', {}, async (page) => {
      assert.match(await page.locator('h1').innerText(), /Select two requests/);
    });
  });

  it('finds the last successful request to the route', async () => {
    await visit(`/_profiler/${tokens[3]}`, { javaScriptEnabled: false }, async (page) => {
      await follow(page.getByTitle(/last successful request/));
      assert.ok(page.url().endsWith(`${tokens[3]}/${tokens[1]}`));
      assert.match(await page.locator('.answer').innerText(), /^Broken for now, from .+:\d+$/);
      const link = (await page.locator('.answer .place a').getAttribute('href')) ?? '';
      assert.ok(link.endsWith(`${tokens[3]}?panel=exception`), link);
      assert.match(await page.locator('.pair').innerText(), /Worked[^]*200 OK[^]*Failed[^]*500/);
      assert.match(await page.locator('h1').innerText(), /^200\s*→\s*then\s*500$/);
    });
    const none = await fetch(`${origin}/_profiler/compare/${tokens[2]}/last-good`);
    assert.equal(none.status, 404);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createOpenPage } from '../profiler/open-page.js';
import { createSampleReader } from '../profiler/sample-reader.js';
import { sampleRecords } from '../profiler/sample-records.js';
import { openWatched } from './check-page.js';
import { launchBrowser } from './launch-browser.js';
import { type PageServer, servePages } from './serve-pages.js';

const records = await sampleRecords(Date.now());
const token = records[1]?.token ?? '';

let browser: Browser;
let server: PageServer;
before(async () => {
  const open = createOpenPage({ reader: createSampleReader(records), editor: 'vscode' });
  server = await servePages((target, headers) => {
    const fields = new Map<string, string>();
    for (let at = 0; at < headers.length; at += 2)
      fields.set((headers[at] ?? '').toLowerCase(), headers[at + 1] ?? '');
    const { host = '', ...rest } = Object.fromEntries(fields);
    return open(target, { host, headers: Object.entries(rest).flat() });
  });
  browser = await launchBrowser();
});
after(() => server?.close());

async function visit(
  path: string,
  options: BrowserContextOptions,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ locale: 'en', ...options });
  try {
    const { page, faults } = await openWatched(context, server.origin + path);
    await look(page);
    assert.deepEqual(faults, [], path);
  } finally {
    await context.close();
  }
}

describe("the profiler's frame", () => {
  it("a record's header is 75 px high on every panel, and its route links to the route's requests", async () => {
    await visit(`/_profiler/${token}`, { viewport: { width: 1280, height: 900 } }, async (page) => {
      const panels = page.getByRole('navigation', { name: 'Panels' }).locator('a');
      const links = await panels.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
      assert.ok(links.length > 15, String(links.length));
      for (const width of [1280, 320]) {
        await page.setViewportSize({ width, height: 900 });
        for (const link of width === 1280 ? links : links.slice(0, 3)) {
          await page.goto(server.origin + link);
          const box = await page.locator('.record-head').boundingBox();
          assert.equal(box?.height, 75, `${link} at ${width}`);
        }
      }
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.getByTitle('Requests of the route blog_show').click();
      await page.waitForURL('**/_profiler/?q=route:blog_show');
    });
  });

  it('the palette opens a panel by a few letters, and so does g with a letter', async () => {
    await visit(`/_profiler/${token}`, {}, async (page) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('datab');
      await page.keyboard.press('Enter');
      await page.waitForURL('**panel=db');
      await page.keyboard.press('g');
      await page.keyboard.press('l');
      await page.waitForURL('**panel=logs');
      await page.keyboard.press('g');
      await page.keyboard.press('h');
      await page.waitForURL('**/_profiler/');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('errors');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/_profiler/errors');
    });
  });

  it('in a wide window, a record opens beside its list, and Escape closes it', async () => {
    await visit('/_profiler/', { viewport: { width: 1900, height: 900 } }, async (page) => {
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      const pane = page.frameLocator('.pane');
      await pane.locator('.record-head h1').waitFor();
      assert.equal(await pane.locator('.bar-top').count(), 0, 'the pane has no top bar of its own');
      assert.equal(new URL(page.url()).pathname, '/_profiler/');
      await page.locator('h1').first().click();
      await page.keyboard.press('Escape');
      await page.locator('.pane').waitFor({ state: 'detached' });
    });
  });

  it('the theme cycles from the system’s to the opposite, the fixed one, and back; the tab has the status’s colour', async () => {
    await visit(`/_profiler/${token}`, { colorScheme: 'dark' }, async (page) => {
      const names: string[] = [];
      const button = page.locator('[data-theme-toggle]');
      for (let press = 0; press < 4; press++) {
        names.push((await button.getAttribute('aria-label')) ?? '');
        await button.click();
      }
      assert.deepEqual(names, ['Theme: system', 'Theme: light', 'Theme: dark', 'Theme: system']);
      assert.match((await page.locator('link[rel=icon]').getAttribute('href')) ?? '', /%23e5484d/);
    });
  });
});

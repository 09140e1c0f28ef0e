import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { follow, openWatched } from './check-page.js';
import { launchBrowser } from './launch-browser.js';
import { type Service, sharedService } from '../contract/service.js';

// Follows the README: request a page that does not exist, see why, open its record, look around.

let browser: Browser;
let service: Service;

before(async () => {
  service = await sharedService();
  browser = await launchBrowser();
});

describe('from a failure to its record', () => {
  for (const javaScriptEnabled of [true, false])
    it(`by links, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const context = await browser.newContext({ javaScriptEnabled });
      const { page, faults } = await openWatched(context, `${service.url}/robots.txt`);
      assert.match(await page.locator('h1').innerText(), /^No route found for "GET http.*\/robots\.txt"$/);
      await follow(page.getByRole('link', { name: /Open record/ }).first());
      assert.match(page.url(), /\/_profiler\/[0-9a-f]{6,}/);
      assert.match(await page.locator('h1').innerText(), /GET.*\/robots\.txt/);
      const panels = page.getByRole('navigation', { name: 'Panels' });
      const titles = await panels.getByRole('link').allInnerTexts();
      assert.ok(titles.length >= 8);
      for (let index = 0; index < titles.length; index++) {
        await follow(panels.getByRole('link').nth(index));
        const title = (await page.locator('#panel-title').textContent()) ?? '?';
        assert.ok((titles[index] ?? '').startsWith(title), `${titles[index] ?? ''} leads to ${title}`);
      }
      await follow(page.getByRole('link', { name: 'Requests', exact: true }));
      assert.ok((await page.locator('table.requests tbody tr').count()) >= 1);
      await follow(page.getByRole('link', { name: 'Requests of the profiler' }));
      assert.match(await page.locator('table.requests').innerText(), /_profiler/);
      assert.deepEqual(faults, []);
      await context.close();
    });
});

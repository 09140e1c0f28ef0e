import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { follow, waitForCopied, watchFaults } from './check-page.js';
import { launchBrowser } from './launch-browser.js';
import { openShop, type RecordedShop } from './recorded-shop.js';

let shop: RecordedShop;
let browser: Browser;
let slow = '';
before(async () => {
  shop = await openShop();
  for (let at = 0; at < 300; at++) {
    const { token } = await shop.ask(at === 120 ? '/search?slow=900' : `/search?page=${at}`);
    if (at === 120) slow = token;
  }
  browser = await launchBrowser();
});
after(() => shop?.close());

async function walk(options: BrowserContextOptions, steps: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({
    locale: 'en',
    viewport: { width: 1440, height: 900 },
    ...options,
  });
  try {
    const page = await context.newPage();
    const faults = watchFaults(page, shop.origin);
    await page.goto(`${shop.origin}/_profiler/`);
    await steps(page);
    assert.deepEqual(faults, []);
  } finally {
    await context.close();
  }
}

interface Focus {
  readonly words: string;
  readonly href: string;
  readonly outline: string;
  readonly width: number;
  readonly isSeen: boolean;
}

/** The focused element, and whether a person can see the focus: its outline, and that nothing covers it. */
async function focusOf(page: Page): Promise<Focus> {
  return page.evaluate<Focus>(`(() => {
    const at = document.activeElement;
    const box = at.getClientRects()[0] ?? at.getBoundingClientRect();
    const { outlineStyle, outlineWidth } = getComputedStyle(at);
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const top = document.elementFromPoint(x, y);
    return {
      words: (at.getAttribute('aria-label') ?? at.textContent).trim().replace(/\\s+/g, ' '),
      href: at.getAttribute('href') ?? '',
      outline: outlineStyle,
      width: parseFloat(outlineWidth),
      isSeen: top !== null && (at.contains(top) || top.contains(at)) && box.width > 0,
    };
  })()`);
}

/** Presses Tab until the focus is on the wanted element; each stop on the way has to be visible. */
async function tabTo(page: Page, isMeant: (focus: Focus) => boolean): Promise<void> {
  for (let stops = 0; stops < 80; stops++) {
    await page.keyboard.press('Tab');
    const focus = await focusOf(page);
    assert.ok(focus.isSeen && focus.outline !== 'none' && focus.width >= 2, JSON.stringify(focus));
    if (isMeant(focus)) return;
  }
  assert.fail('the element was not reached within 80 tab stops');
}

async function press(page: Page, key: string): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.keyboard.press(key)]);
}

describe('the first five minutes', () => {
  it('find the slow one among 300 requests, its query, a curl command, and the difference from a fast one', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    await walk({ permissions }, async (page) => {
      await follow(page.getByRole('columnheader', { name: 'Time', exact: true }).getByRole('link'));
      const row = page.locator('table.requests tbody tr').first();
      assert.match(await row.innerText(), /\/search\?slow=900/);
      await follow(row.locator('a[data-row]'));
      assert.match(page.url(), new RegExp(`/_profiler/${slow}$`));
      await follow(page.getByRole('link', { name: /^1 query took [\d.]+ m?s of [\d.]+ m?s, from$/ }));
      const query = page.locator('#query-1');
      assert.match(await query.innerText(), /select \* from "product" where "name" like \?/);
      assert.match(await query.innerText(), /"name" like '%tea%'[^]*src\/search\.ts:12/);
      await page.getByRole('button', { name: 'Copy curl' }).click();
      await waitForCopied(page, /^curl[^]*\/search\?slow=900/);
      await follow(page.getByTitle(/^Compare with the last successful request/));
      const differs = await page.locator('main').innerText();
      assert.match(differs, /The database (?:makes up \d+ % of the difference|took \d+ ms less)/);
      // On a busy machine, the process does not run for part of the 900 ms.
      const differenceOf = (part: string): number =>
        Number(
          new RegExp(String.raw`^${part}\t.*\n?.*?\t([+−][\d.]+) ms$`, 'm')
            .exec(differs)?.[1]
            ?.replace('−', '-') ?? 0,
        );
      assert.ok(differenceOf('database') + differenceOf('the machine was busy') > 800, differs);
    });
  });
});

describe('by keyboard alone', () => {
  it('Tab and Enter lead from the list to a record, a panel and a comparison, with the focus always visible', async () => {
    await walk({}, async (page) => {
      await tabTo(page, ({ words }) => words === 'Skip to the content');
      await page.keyboard.press('Enter');
      await tabTo(page, ({ href }) => /^[0-9a-f]{6}$/.test(href));
      await press(page, 'Enter');
      await tabTo(page, ({ words }) => words.startsWith('Database'));
      await press(page, 'Enter');
      assert.equal(await page.locator('#panel-title').innerText(), 'Database');
      await tabTo(page, ({ words }) => words === 'Compare');
      await press(page, 'Enter');
      assert.match(
        await page.locator('h1').innerText(),
        /^[+−][\d.]+ m?s .*(?:as long|as fast|% longer|% shorter)/,
      );
      await page.goBack();
      await tabTo(page, ({ words }) => words === 'More actions');
      await page.keyboard.press('Enter');
      await tabTo(page, ({ words }) => words === 'Pin');
      await page.keyboard.press('Escape');
      assert.equal(await page.locator('details.drop[open]').count(), 0);
    });
  });

  it('letter keys do the same: rows, record, panel, list, marks', async () => {
    await walk({ viewport: { width: 1024, height: 800 } }, async (page) => {
      for (const key of ['j', 'j']) await page.keyboard.press(key);
      const { href, isSeen } = await focusOf(page);
      assert.ok(isSeen);
      await press(page, 'Enter');
      assert.ok(page.url().endsWith(href));
      await page.keyboard.press('g');
      await press(page, 'l');
      assert.equal(await page.locator('#panel-title').innerText(), 'Logs');
      await press(page, '[');
      assert.ok(!page.url().includes(href));
      await press(page, ']');
      await page.keyboard.press('g');
      await press(page, 'h');
      for (const key of ['j', 'c', 'j']) await page.keyboard.press(key);
      await press(page, 'c');
      assert.match(page.url(), /\/_profiler\/compare\/[0-9a-f]{6}\/[0-9a-f]{6}$/);
    });
  });
});

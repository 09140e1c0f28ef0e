import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { follow, waitForCopied, watchFaults } from './check-page.js';
import { launchBrowser } from './launch-browser.js';
import { openShop, type RecordedShop } from './recorded-shop.js';

/** A browser window on the application that counts clicks. */
class Visitor {
  readonly page: Page;
  #clicks = 0;

  constructor(page: Page) {
    this.page = page;
  }

  get clicks(): number {
    return this.#clicks;
  }

  /** Opens the application's page where the question comes up. */
  async opens(path: string): Promise<void> {
    await this.page.goto(shop.origin + path);
    this.#clicks = 0;
  }

  async follows(link: Locator): Promise<void> {
    this.#clicks++;
    await follow(link);
  }

  async presses(on: Locator): Promise<void> {
    this.#clicks++;
    await on.click();
  }

  get toolbar(): Locator {
    return this.page.locator('lookback-toolbar section').first();
  }

  /** Goes from the toolbar to the record: one click. */
  async opensRecord(): Promise<void> {
    await this.follows(this.toolbar.locator('[data-entry=status]'));
  }

  async reads(words: RegExp): Promise<void> {
    const text = await this.page.locator('#content').innerText();
    assert.ok(words.test(text), `${String(words)} is not on the page: ${text.slice(-1500)}`);
  }
}

let shop: RecordedShop;
let browser: Browser;
let context: BrowserContext;
let visitor: Visitor;
before(async () => {
  shop = await openShop();
  browser = await launchBrowser();
});
after(() => shop?.close());

const panel = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Panels' }).getByRole('link', { name });

/** Everyday questions, and the clicks that answer each from the page where it comes up. */
const questions: readonly (readonly [string, (visitor: Visitor) => Promise<void>])[] = [
  [
    'why is this page slow',
    async (asked) => {
      // The first request to this page: code that the framework loads for it must not outweigh the query on a slow machine.
      await asked.opens('/search?slow=800');
      await asked.opensRecord();
      await asked.reads(/1 query took \d{3,} ms of [\d.]+ m?s/);
    },
  ],
  [
    'which query ran repeatedly',
    async (asked) => {
      await asked.opens('/products/tea');
      await asked.follows(asked.toolbar.locator('[data-entry=db]'));
      await asked.reads(/src\/journal\.ts:154 ran the same query 6 times[^]*select "stock"/);
    },
  ],
  [
    'why was access denied',
    async (asked) => {
      await asked.opens('/office');
      await asked.follows(asked.page.getByRole('link', { name: /Open record/ }).first());
      await asked.follows(panel(asked.page, 'Security'));
      await asked.reads(/refused\s+ROLE_BOSS[^]*role: deny \(the user has ROLE_CLERK\)/);
    },
  ],
  [
    'which listener set this header',
    async (asked) => {
      await asked.opens('/products/tea');
      await asked.toolbar.locator('[data-entry=status]').hover();
      const card = asked.page.locator('lookback-toolbar .card:visible');
      await asked.follows(card.getByRole('link', { name: 'Request', exact: true }));
      await asked.presses(asked.page.getByRole('heading', { name: /Who set the headers/ }));
      await asked.reads(/X-Robots-Tag\s+noindex\s+disallow robots/);
    },
  ],
  [
    'what did the body of the POST contain',
    async (asked) => {
      await asked.opens('/search');
      await asked.page.evaluate(
        `document.body.insertAdjacentHTML('beforeend', '<form method="post" action="/save"><input name="colour" value="blue"></form>'); document.forms[0].submit()`,
      );
      await asked.page.waitForURL('**/search');
      await asked.follows(asked.toolbar.locator('[data-entry=previous]'));
      if (!(await asked.page.locator('#content').innerText()).includes('blue'))
        await asked.follows(panel(asked.page, 'Request & response'));
      await asked.reads(/colour\s*[:=]?\s*"?blue/);
    },
  ],
  [
    'which route would have matched',
    async (asked) => {
      await asked.opens('/serach');
      assert.match(await asked.page.locator('main').innerText(), /Did you mean[^]*\/search/);
    },
  ],
  [
    'what changed between two requests',
    async (asked) => {
      await asked.opens('/search');
      await asked.opens('/search?slow=2100');
      await asked.opensRecord();
      await asked.follows(asked.page.getByTitle(/^Compare with the last successful request/));
      await asked.reads(/Before[^]*After[^]*\/search\?slow=2100/);
      await asked.reads(/\d times as long[^]*The database/);
    },
  ],
  [
    'what did the same user ask before',
    async (asked) => {
      await asked.opens('/products/coffee');
      await asked.opens('/products/tea');
      await asked.opensRecord();
      await asked.follows(asked.page.getByTitle('User', { exact: true }));
      await asked.reads(/\/products\/tea[^]*\/products\/coffee/);
    },
  ],
  [
    'which requests hit this error',
    async (asked) => {
      await asked.opens('/broken/tea');
      await asked.opens('/broken/coffee');
      await asked.follows(asked.page.getByRole('link', { name: /Open record/ }).first());
      await asked.follows(asked.page.getByRole('link', { name: 'Requests with this error' }));
      await asked.reads(/\/broken\/coffee[^]*\/broken\/tea/);
    },
  ],
  [
    'how to send it again, here and by curl',
    async (asked) => {
      await asked.opens('/search?slow=150');
      await asked.opensRecord();
      await asked.presses(asked.page.getByRole('button', { name: 'Copy curl', exact: true }));
      await waitForCopied(asked.page, /^curl[^]*\/search\?slow=150/m);
      assert.equal(asked.clicks, 2);
      await asked.opens('/search?slow=2100');
      await asked.opensRecord();
      await asked.follows(asked.page.getByRole('button', { name: 'Replay', exact: true }));
      await asked.reads(/Replay of/);
    },
  ],
  [
    'what did the log say',
    async (asked) => {
      await asked.opens('/products/tea');
      await asked.follows(asked.toolbar.locator('[data-entry=logs]'));
      await asked.reads(/Only two are left[^]*The price could not be read/);
    },
  ],
  [
    'what took longer than two seconds today',
    async (asked) => {
      await asked.opens('/search?slow=2100');
      await asked.opensRecord();
      const search = asked.page.getByRole('searchbox');
      await search.fill('time:>2s after:1d route:search');
      await Promise.all([asked.page.waitForEvent('load'), search.press('Enter')]);
      await asked.reads(/\/search\?slow=2100/);
      assert.doesNotMatch(await asked.page.locator('table.requests').innerText(), /GET \/search\s/);
    },
  ],
];

describe('twelve everyday questions', () => {
  before(async () => {
    context = await browser.newContext({
      locale: 'en',
      viewport: { width: 1440, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const headers = { 'Sec-Fetch-Site': 'same-origin' };
    await context.request.post(`${shop.origin}/login`, {
      headers,
      form: { _username: 'ada', _password: 'ada' },
    });
    visitor = new Visitor(await context.newPage());
  });
  after(() => context.close());

  for (const [question, answer] of questions)
    it(`${question}: at most two clicks`, async () => {
      const faults = watchFaults(visitor.page, shop.origin);
      await answer(visitor);
      assert.ok(visitor.clicks <= 2, `${visitor.clicks} clicks`);
      assert.deepEqual(faults, []);
    });
});

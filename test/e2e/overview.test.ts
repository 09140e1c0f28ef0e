import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { h } from 'preact';
import { type App, createApp, HttpResponse } from 'lookback';
import { renderDocument } from 'lookback/html';
import { withSpan } from 'lookback/profiler';
import { follow, openWatched } from './check-page.js';
import { launchBrowser } from './launch-browser.js';

const queries = channel('lookback:persistence:query');

async function query(sql: string, ms: number): Promise<void> {
  const begun = performance.now();
  while (performance.now() - begun < ms) await nextTurn();
  const callSite = [{ name: 'findAll', file: `${process.cwd()}/src/journal.ts`, line: 154, column: 3 }];
  const durationMs = performance.now() - begun;
  queries.publish({ sql, params: [], durationMs, rows: 1, connection: 'main', callSite });
}

function createJournal(): App {
  const app = createApp({
    configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
    logHandlers: [],
  });
  app.get('/journal', async ({ log }) => {
    await query('select "article".* from "article"', 900); // more than half of the request, however busy the machine is
    await withSpan('load comments', async () => {
      for (let at = 0; at < 3; at++) await query(`select ${'"c".*, '.repeat(20)} from "comment"`, 18);
    });
    log.warning('No author', { article: 3 });
    const Page = (): ReturnType<typeof h> => h('p', null, 'Journal');
    return HttpResponse.html(renderDocument(h(Page, {}), { lang: 'en', title: 'Journal' }));
  });
  return app;
}

describe('overview and waterfall in a browser', () => {
  const app = createJournal();
  let browser: Browser;
  let origin: string;
  let record: string;
  before(async () => {
    const server = await app.listen({ port: 0, host: '127.0.0.1' });
    origin = server.url;
    // The second request's record: code loaded by the first one may take longer than the query on a busy machine.
    await (await fetch(`${origin}/journal`)).text();
    const answer = await fetch(`${origin}/journal`);
    await answer.text();
    record = `${origin}/_profiler/${answer.headers.get('x-debug-token') ?? ''}`;
    browser = await launchBrowser();
  });
  after(() => app.close());

  const visit = async (
    address: string,
    options: BrowserContextOptions,
    look: (page: Page) => Promise<void>,
  ): Promise<void> => {
    const context = await browser.newContext(options);
    try {
      const { page, faults } = await openWatched(context, address);
      await look(page);
      assert.deepEqual(faults, [], address);
    } finally {
      await context.close();
    }
  };

  it('opens on the overview, whose findings link to the query, without a script', async () => {
    await visit(record, { javaScriptEnabled: false }, async (page) => {
      assert.equal(await page.locator('#panel-title').innerText(), 'Overview');
      const answers = await page.locator('.answer, .findings li').allInnerTexts();
      assert.ok(
        answers.some((text) => /1 query took [\d.]+ m?s of [\d.]+ m?s/.test(text)),
        answers.join('; '),
      );
      assert.ok(answers.some((text) => /src\/journal\.ts:154[^]*3 times/.test(text)));
      assert.match(
        await page.locator('.figure').innerText(),
        /^[\d.]+\s*m?s\s+one other request: [\d.]+ m?s$/,
      );
      await follow(page.getByRole('link', { name: /1 query took/ }));
      assert.match(page.url(), /panel=db#query-1$/);
      assert.match(await page.locator('#query-1').innerText(), /select "article"/);
    });
  });

  it('divides the time identically in the record and in the list', async () => {
    let text = '';
    await visit(record, {}, async (page) => {
      text = await page.getByRole('list', { name: 'Where the time went' }).innerText();
      const millisecondsOf = (part: string): number => {
        const [, figure = '0', unit] = new RegExp(String.raw`${part}\s+([\d.]+) (m?s)`).exec(text) ?? [];
        return Number(figure) * (unit === 's' ? 1000 : 1);
      };
      // On a busy machine, the process does not run for part of the 900 ms.
      const database = millisecondsOf('database');
      assert.ok(database > 0 && database + millisecondsOf('the machine was busy') > 890, text);
    });
    await visit(`${origin}/_profiler/`, {}, async (page) => {
      const link = page.locator(`a[href="${record.split('/').at(-1)}"]`);
      const bar = page.locator('tbody tr', { has: link }).locator('.req-bar');
      assert.equal(await bar.locator('.c-database').count(), 1);
      const parts = ((await bar.locator('title').textContent()) ?? '').split(', ');
      assert.ok(parts.some((part) => part.startsWith('database ')));
      for (const part of parts) assert.ok(text.replaceAll(/\s+/g, ' ').includes(part), `${part} in ${text}`);
    });
  });

  it('folds steps below the chosen share; bars link to their queries, marks to their log lines', async () => {
    await visit(`${record}?panel=time`, { javaScriptEnabled: false }, async (page) => {
      const rows = async (): Promise<number> => page.locator('.timeline tbody tr').count();
      const few = await rows();
      assert.match(await page.locator('.timeline tbody').innerText(), /\d+ listeners combined/);
      await follow(page.getByRole('link', { name: /^all/ }));
      assert.ok((await rows()) > few);
      const bar = page.locator('.timeline tbody tr', { hasText: 'load comments' });
      assert.equal(await bar.locator('rect.c-app').count(), 1);
      const marks = await page
        .locator('.map a')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
      assert.ok(marks.some((href) => /panel=logs#log-\d+$/.test(href ?? '')));
      await follow(page.locator('.timeline tbody a').first());
      assert.match(page.url(), /panel=db#query-1$/);
    });
  });

  it('starts near the top of the page, draws a loop as one comb, and keeps its headings in view', async () => {
    await visit(`${record}?panel=time`, { viewport: { width: 1280, height: 300 } }, async (page) => {
      const first = await page.locator('.timeline tbody tr').first().boundingBox();
      assert.ok((first?.y ?? 999) < 260, `the first row at ${first?.y} px`);
      assert.equal((await page.locator('.map').boundingBox())?.height, 34);
      const loop = page.locator('.timeline tbody tr', { hasText: '×3' });
      assert.equal(await loop.locator('.comb rect').count(), 3);
      await page.evaluate(
        "scrollTo(0, scrollY + document.querySelector('.timeline .rows').getBoundingClientRect().top + 90)",
      );
      const head = await page.locator('.timeline thead th').first().boundingBox();
      assert.equal(Math.round(head?.y ?? 999), 0);
    });
  });

  it('runs from left to right even on a right-to-left page, and keeps distinct colours in forced colours', async () => {
    await visit(`${record}?panel=time`, { forcedColors: 'active' }, async (page) => {
      await page.evaluate("document.documentElement.dir = 'rtl'");
      const ends = await page
        .locator('.axis text')
        .evaluateAll((labels) => labels.map((label) => label.getBoundingClientRect().x));
      assert.ok((ends[0] ?? 0) < (ends.at(-1) ?? 0), 'the axis starts at the left, like the bars');
      const fills = await page.evaluate<string[]>(
        "['app', 'database'].map((kind) => getComputedStyle(document.querySelector('.lane .c-' + kind)).fill)",
      );
      assert.notEqual(fills[0], fills[1]);
    });
  });
});

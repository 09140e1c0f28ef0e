import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createSourceLoader, flattenError, renderErrorAnswer } from '#core/errors';
import { HttpResponse } from '#core/http';
import { createOpenPage } from '../profiler/open-page.js';
import { createSampleReader } from '../profiler/sample-reader.js';
import { sampleRecords } from '../profiler/sample-records.js';
import { assertReflows, waitForCopied } from './check-page.js';
import { launchBrowser } from './launch-browser.js';
import { type PageServer, servePages } from './serve-pages.js';

const records = await sampleRecords(Date.now());
const token = records[1]?.token ?? '';
const other = records[0]?.token ?? '';

function errorPage(): HttpResponse {
  const gathered = [new Error('The first mirror is down'), new TypeError('x'.repeat(400))];
  const thrown = new AggregateError(gathered, 'All mirrors failed', { cause: new RangeError('inner') });
  const report = flattenError(thrown, { sources: createSourceLoader(), libraryFolders: [] });
  const { headers, body } = renderErrorAnswer(report, { accept: 'text/html', debug: true, context: {} });
  return new HttpResponse(body, { status: 500, headers: Object.fromEntries(headers) });
}

let browser: Browser;
let server: PageServer;
before(async () => {
  const open = createOpenPage({ reader: createSampleReader(records) });
  server = await servePages(async (target, headers) => {
    if (target === '/error') return errorPage();
    const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
    return open(target, { host: headers[at + 1] ?? '' });
  });
  browser = await launchBrowser();
});
after(() => server?.close());

async function inWindow(
  options: Parameters<Browser['newContext']>[0],
  look: (page: Page) => Promise<void>,
): Promise<void> {
  let context: BrowserContext | undefined;
  try {
    context = await browser.newContext(options);
    await look(await context.newPage());
  } finally {
    await context?.close();
  }
}

/** Left and right edges of visible cells, in whole pixels. */
type Edges = readonly (readonly [left: number, right: number])[];

/** The visible cells in the list's header row and first row. */
async function columnsOf(page: Page): Promise<readonly [heads: Edges, cells: Edges]> {
  return page.evaluate<[Edges, Edges]>(`['thead tr', 'tbody tr'].map((row) =>
    [...document.querySelectorAll('table.requests ' + row + ':first-child > *')]
      .map((cell) => cell.getBoundingClientRect())
      .filter((box) => box.width > 1)
      .map((box) => [Math.round(box.left), Math.round(box.right)]))`);
}

describe('pages at every width', () => {
  it("the list's headers align with their cells, and the header aligns with the page", async () => {
    await inWindow({}, async (page) => {
      for (const width of [320, 820, 1024, 1440, 2560]) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(`${server.origin}/_profiler/`);
        await checkList(page, width);
      }
    });
  });

  it('nothing is wider than the window, at any width, in forced colours and with more contrast too', async () => {
    const pages = ['', `${token}?panel=overview`, `${token}?panel=time`, `compare/${token}/${other}`];
    await inWindow({ forcedColors: 'active', contrast: 'more' }, async (page) => {
      for (const path of pages) {
        await page.goto(`${server.origin}/_profiler/${path}`);
        for (const width of [320, 390, 725, 768, 820, 1280, 1680, 2560]) {
          await page.setViewportSize({ width, height: 900 });
          await assertReflows(page, `${path} at ${width}`);
          const brand = await page.locator('.brand').boundingBox();
          assert.equal(brand?.height, 26, `the name is one line at ${width}`);
        }
        const filled = await page.evaluate<number>(
          `[...document.querySelectorAll('rect.c-framework, rect.c-app')].filter((bar) => bar.getBoundingClientRect().width > 0).length`,
        );
        assert.ok(filled > 0, `${path} keeps its bars`);
      }
    });
  });

  it('the first row is reached with at most six presses of Tab', async () => {
    await inWindow({}, async (page) => {
      await page.goto(`${server.origin}/_profiler/`);
      const focused = (): Promise<string | null> =>
        page.evaluate('document.activeElement.hasAttribute("data-row") ? document.activeElement.href : null');
      let presses = 0;
      for (; presses < 7 && (await focused()) === null; presses++) {
        await page.keyboard.press('Tab');
        if ((await page.evaluate('document.activeElement.hash')) === '#rows')
          await page.keyboard.press('Enter');
      }
      assert.ok(presses <= 6, `${presses} presses`);
      assert.match((await focused()) ?? '', new RegExp(`${records[0]?.token}$`));
    });
  });

  it('a table with figures of any width stays within the window, wherever its headers begin to stick', async () => {
    await inWindow({}, async (page) => {
      for (const width of [1024, 1199, 1200, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(`${server.origin}/_profiler/${token}?panel=db`);
        const wide = await page.evaluate<number>(`(() => {
          for (const fold of document.querySelectorAll('details')) fold.open = true;
          for (const cell of document.querySelectorAll('.panel td.end')) cell.textContent = '123.45 ms';
          return document.querySelectorAll('.panel td.end').length === 0 ? -1 : document.documentElement.scrollWidth;
        })()`);
        assert.equal(wide, width);
      }
    });
  });

  it("on paper the list's headers align with their cells, and no controls are printed", async () => {
    await inWindow({ viewport: { width: 820, height: 900 }, colorScheme: 'dark' }, async (page) => {
      await page.emulateMedia({ media: 'print' });
      await page.goto(`${server.origin}/_profiler/`);
      const [heads, cells] = await columnsOf(page);
      assert.deepEqual(heads, cells);
      assert.equal(
        await page.locator('form:not(:has(table)):visible, nav:visible, .button:visible').count(),
        0,
      );
      await page.goto(`${server.origin}/error`);
      assert.equal(await page.locator('#as-markdown:visible, .jump:visible, .top:visible').count(), 0);
      await page.setViewportSize({ width: 1280, height: 900 });
      const code = await page.locator('.code').first().boundingBox();
      assert.ok((code?.width ?? 0) > 1000, `code on wide paper is ${code?.width} wide`);
      const sheets =
        (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g) ?? [];
      assert.ok(sheets.length >= 1 && sheets.length <= 6, `${sheets.length} sheets`);
    });
  });

  it('without a script, the filters can be reached at every width, and stay as removable chips', async () => {
    for (const width of [320, 1440])
      await inWindow({ viewport: { width, height: 700 }, javaScriptEnabled: false }, async (page) => {
        await page.goto(`${server.origin}/_profiler/`);
        await page.getByText('+ Filter', { exact: true }).click();
        const form = page.getByRole('form', { name: 'Filters' });
        await form.getByLabel('Status').selectOption('4xx');
        await Promise.all([page.waitForEvent('load'), form.getByRole('button', { name: 'Filter' }).click()]);
        assert.equal(await page.locator('table.requests tbody tr').count(), 1);
        const chip = page.getByRole('link', { name: 'Remove the filter status:4xx' });
        await Promise.all([page.waitForEvent('load'), chip.click()]);
        assert.ok((await page.locator('table.requests tbody tr').count()) > 1);
      });
  });

  it('a filter that cannot be applied is explained above the list, and the input is kept', async () => {
    await inWindow({}, async (page) => {
      const answer = await page.goto(`${server.origin}/_profiler/?status=4o0&colour=red`);
      assert.equal(answer?.status(), 400);
      const note = await page.getByRole('alert').innerText();
      assert.match(note, /status:4o0[^]*Use a code/);
      assert.match(note, /There is no filter “colour”/);
      await page.getByText('+ Filter', { exact: true }).click();
      const field = page.getByRole('form', { name: 'Filters' }).getByLabel('Search');
      assert.equal(await field.inputValue(), 'status:4o0');
      assert.equal(await field.getAttribute('aria-invalid'), 'true');
      assert.equal(await page.locator('table.requests').count(), 0);
    });
  });

  it('j marks the whole row, and ages update while the page is open', async () => {
    await inWindow({ colorScheme: 'light' }, async (page) => {
      await page.clock.install({ time: Date.now() });
      await page.goto(`${server.origin}/_profiler/`);
      const row = page.locator('table.requests tbody tr').first();
      const colour = (): Promise<string> =>
        page.evaluate(`getComputedStyle(document.querySelector('table.requests tbody tr')).backgroundColor`);
      const before = await colour();
      await page.keyboard.press('j');
      assert.notEqual(await colour(), before);
      // In whole minutes: on a busy machine, the record may be more than a minute old.
      const age = async (): Promise<number> =>
        Number(/^(\d+) min$/.exec(await row.locator('time').innerText())?.[1] ?? 0);
      const first = await age();
      await page.clock.runFor(120_000);
      const passed = (await age()) - first;
      assert.ok(passed === 2 || passed === 3, `${passed} min`);
    });
  });

  it('Copy copies a code block as shown, however long it is', async () => {
    await inWindow({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      await page.goto(`${server.origin}/_profiler/${token}?panel=request`);
      const block = page.locator('figure.listing').first();
      const shown = await block.locator('code').textContent();
      await block.getByRole('button', { name: 'Copy' }).click();
      await waitForCopied(page, shown ?? '');
    });
  });
});

async function checkList(page: Page, width: number): Promise<void> {
  if (width > 720) {
    const [heads, cells] = await columnsOf(page);
    assert.deepEqual(heads, cells, `headers over their cells at ${width}`);
    assert.equal(heads.length, width >= 1500 ? 8 : 6);
    const first = await page.locator('table.requests tbody tr').first().boundingBox();
    assert.ok((first?.y ?? 999) <= 130, `the first row at ${first?.y} px of ${width}`);
    assert.equal(first?.height, 32);
  }
  const [header, content] = await page.evaluate<[number, number]>(
    '[".brand", "h1"].map((part) => Math.round(document.querySelector(part).getBoundingClientRect().left))',
  );
  assert.equal(header, content, `the header lines up with the page at ${width}`);
}

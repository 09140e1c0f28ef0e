import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createOpenPage } from '../profiler/open-page.js';
import { createSampleReader } from '../profiler/sample-reader.js';
import { sampleRecords } from '../profiler/sample-records.js';
import { assertReflows, follow, openWatched, waitForCopied } from './check-page.js';
import { launchBrowser } from './launch-browser.js';
import { type PageServer, servePages } from './serve-pages.js';

const records = await sampleRecords(Date.now());
const token = records[1]?.token ?? '';
let browser: Browser;
let server: PageServer;

before(async () => {
  const open = createOpenPage({ reader: createSampleReader(records), editor: 'vscode' });
  server = await servePages((target, headers) =>
    open(target, { headers: withoutHost(headers), host: hostOf(headers) }),
  );
  browser = await launchBrowser();
});
after(() => server.close());

/** Opens a page in its own window, and fails if the page violates its policy, throws or loads foreign resources. */
async function visit(
  path: string,
  options: BrowserContextOptions,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options);
  try {
    const { page, faults } = await openWatched(context, server.origin + path);
    await look(page);
    assert.deepEqual(faults, [], path);
  } finally {
    await context.close();
  }
}

describe('profiler in a browser', () => {
  it('keeps working with larger text spacing (1.4.12)', async () => {
    for (const path of ['/_profiler/', `/_profiler/${token}`])
      await visit(path, { viewport: { width: 320, height: 640 }, bypassCSP: true }, async (page) => {
        await page.addStyleTag({
          content:
            '* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; }',
        });
        await assertReflows(page, path);
      });
  });

  it('without a script every panel, filter and fold works', async () => {
    await visit('/_profiler/', { javaScriptEnabled: false }, async (page) => {
      await page.getByText('+ Filter', { exact: true }).click();
      await page.getByLabel('Status').selectOption('4xx');
      await follow(page.getByRole('button', { name: 'Filter', exact: true }));
      assert.equal(await page.locator('table.requests tbody tr').count(), 1);
      await follow(page.locator('table.requests tbody tr a[data-row]'));
      assert.match(await page.locator('h1').innerText(), /blogg/);
      await follow(page.getByRole('navigation', { name: 'Panels' }).getByRole('link', { name: /Logs/ }));
      assert.match(page.url(), /panel=logs/);
      // No button is dead without scripts: each one is in a form.
      assert.equal(await page.locator('button:visible:not(form button)').count(), 0);
      await follow(page.getByRole('navigation', { name: 'Panels' }).getByRole('link', { name: /Database/ }));
      await page.locator('td summary', { hasText: 'insert into' }).click();
      const folds = page.locator('td details[open]', { hasText: 'insert into' });
      assert.ok(await folds.locator('.facts').isVisible());
    });
  });

  it('by keyboard: skip link, rows, records and the list of keys', async () => {
    await visit('/_profiler/', {}, async (page) => {
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content');
      await page.keyboard.press('Enter');
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/${token}`);
      await page.keyboard.press('[');
      await page.waitForURL(`**/${records[2]?.token ?? ''}**`);
      await page.keyboard.press(']');
      await page.waitForURL(`**/${token}**`);
      await page.keyboard.press('?');
      assert.ok(await page.getByRole('dialog').isVisible());
      await page.getByLabel('Turn shortcuts off').check();
      await page.keyboard.press('Escape');
      await page.keyboard.press('l');
      await page.waitForTimeout(100);
      assert.ok(page.url().includes(token), 'a disabled shortcut does nothing');
    });
  });

  it('copies the token and the Markdown by keyboard, and chooses panels by number', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    await visit(`/_profiler/${token}`, { permissions }, async (page) => {
      const label = await page.locator('[data-key=y]').innerText();
      for (const _twice of [1, 2]) await page.keyboard.press('y');
      await waitForCopied(page, new RegExp(`^${token}`));
      await page.locator('[data-key=y]', { hasText: label }).waitFor();
      await page.keyboard.press('m');
      await waitForCopied(page, /^# 500 GET/);
      await page.keyboard.press('4');
      await page.waitForURL('**panel=db');
    });
  });

  it('the reader’s choice of light or dark is kept on the next page', async () => {
    await visit('/_profiler/', { colorScheme: 'light' }, async (page) => {
      const background = (): Promise<string> =>
        page.evaluate('getComputedStyle(document.body).backgroundColor');
      const light = await background();
      await page.getByRole('button', { name: 'Theme: system' }).click();
      const dark = await background();
      assert.notEqual(dark, light);
      await page.reload();
      assert.equal(await background(), dark);
    });
  });

  it('prints in one light column, without the controls', async () => {
    await visit(`/_profiler/${token}`, { colorScheme: 'dark' }, async (page) => {
      await page.emulateMedia({ media: 'print' });
      assert.equal(
        await page.evaluate('getComputedStyle(document.body).backgroundColor'),
        'rgb(255, 255, 255)',
      );
      assert.equal(await page.getByRole('navigation', { name: 'Panels' }).count(), 0);
      for (const control of await page.locator('button, input, select, textarea').all())
        assert.equal(
          await control.isVisible(),
          false,
          await control.evaluate('element => element.outerHTML.slice(0, 200)'),
        );
      const dark = await page.evaluate(`[...document.querySelectorAll('main *')].filter((element) => {
        const [red = 255, green = 255, blue = 255, alpha = 1] =
          (getComputedStyle(element).backgroundColor.match(/[\\d.]+/g) ?? []).map(Number);
        return alpha > 0.5 && red + green + blue < 300 && element.offsetHeight > 24;
      }).map((element) => element.outerHTML.slice(0, 80))`);
      assert.deepEqual(dark, []);
      const beside = await page.evaluate(`(() => {
        const blocks = [...document.querySelectorAll('main section, main article, main > *')]
          .filter((element) => element.offsetHeight > 0);
        const isBeside = (one, other) =>
          !one.contains(other) && !other.contains(one) &&
          one.getBoundingClientRect().bottom > other.getBoundingClientRect().top + 1 &&
          other.getBoundingClientRect().bottom > one.getBoundingClientRect().top + 1;
        return blocks.flatMap((one, at) => blocks.slice(at + 1).filter((other) => isBeside(one, other))
          .map((other) => one.outerHTML.slice(0, 80) + ' beside ' + other.outerHTML.slice(0, 80)));
      })()`);
      assert.deepEqual(beside, []);
    });
  });
});

function hostOf(headers: readonly string[]): string {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  return headers[at + 1] ?? '';
}

function withoutHost(headers: readonly string[]): readonly string[] {
  return headers.filter((_, index) => (headers[index - (index % 2)] ?? '').toLowerCase() !== 'host');
}

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Locator, Page } from 'playwright-core';

const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

interface AxeResult {
  readonly passes: number;
  readonly violations: readonly string[];
}

/** Collects a page's faults from now on: policy violations, thrown errors, and requests to other origins than `origin`. */
export function watchFaults(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    const expected = /status of [45]\d\d/.test(message.text());
    if (!expected && ['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
      faults.push(`foreign: ${request.url()}`);
  });
  return faults;
}

/** Opens a page and collects its faults: policy violations, errors, requests to other origins. */
export async function openWatched(
  context: BrowserContext,
  url: string,
): Promise<{ page: Page; faults: string[] }> {
  const page = await context.newPage();
  const faults = watchFaults(page, new URL(url).origin);
  await page.goto(url);
  return { page, faults };
}

/** Clicks a link to another page, and waits until it has loaded completely, so that counts and addresses are the new page's. */
export async function follow(to: Locator): Promise<void> {
  await Promise.all([to.page().waitForEvent('load'), to.click()]);
}

/**
 * Waits until the clipboard holds the expected text, and otherwise fails with the text that it held. `waitForFunction` cannot do this,
 * because it treats a promise as true.
 */
export async function waitForCopied(page: Page, expected: RegExp | string): Promise<void> {
  const end = performance.now() + 20_000;
  for (;;) {
    const text = String(await page.evaluate('navigator.clipboard.readText()'));
    if (typeof expected === 'string' ? text === expected : expected.test(text)) return;
    if (performance.now() > end) assert.fail(`The clipboard holds ${JSON.stringify(text)}, not ${expected}`);
    await sleep(20);
  }
}

const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Rules that depend on a page's colours and width: half of the total cost. */
const lookRules = ['color-contrast', 'target-size', 'link-in-text-block'];

/** All rules, or those that depend on colours and width, or all others. */
export type CheckedRules = 'all' | 'look' | 'structure';

/**
 * Loads axe into each document that this page opens from now on: sending its 550 kB once per document takes longer than running
 * it.
 */
export async function loadAxe(page: Page): Promise<void> {
  await page.addInitScript(axe);
}

/**
 * Opens all collapsed sections, because their content is part of the page. Menus stay closed, because only one of them is open at a time.
 */
export async function openFolds(page: Page): Promise<void> {
  await page.evaluate('for (const fold of document.querySelectorAll("details:not(.drop)")) fold.open = true');
}

/**
 * Runs axe on the page with all sections expanded, for WCAG 2.2 A and AA. The page's own policy forbids injected scripts, so axe is
 * injected through the debugger.
 */
export async function assertAccessible(
  page: Page,
  where: string,
  checked: CheckedRules = 'all',
): Promise<void> {
  const left = checked === 'structure' ? lookRules : [];
  const options = {
    runOnly: checked === 'look' ? lookRules : allRules,
    rules: Object.fromEntries(left.map((rule) => [rule, { enabled: false }])),
    resultTypes: ['violations'],
    iframes: false,
  };
  await openFolds(page);
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe);
  // For a large page, sending the whole result takes as long as creating it.
  const { passes, violations } = await page.evaluate<AxeResult>(
    `axe.run(document, ${JSON.stringify(options)}).then(
      ({ passes, violations }) => ({
        passes: passes.length,
        violations: violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join('\\n    ')),
      }))`,
  );
  assert.ok(passes > 0, 'axe checked the page');
  assert.deepEqual(violations, [], where);
}

/** Asserts that no part of the page is wider than the window (WCAG 1.4.10), except inside scrolling regions. */
export async function assertReflows(page: Page, where: string): Promise<void> {
  const [content, window] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  );
  assert.ok(content <= window, `${where} is ${content} wide in a window of ${window}`);
}

/**
 * Asserts that no text is cut off at the edge of its box. Exceptions: links, text with a tooltip, findings (complete in the record), and
 * the second line of a record's header (its content is on the panels).
 */
export async function assertNothingCut(page: Page, where: string): Promise<void> {
  const cut = await page.evaluate<
    readonly string[]
  >(`[...document.querySelectorAll('body *:not(a[href], a[href] *, [title], .say, .say *, .line-2)')]
    .filter((part) => part.clientWidth > 1 && part.scrollWidth > part.clientWidth + 1 && part.textContent.trim() !== '')
    .filter((part) => ['hidden', 'clip'].includes(getComputedStyle(part).overflowX))
    .map((part) => part.tagName + '.' + part.className + ': ' + part.textContent.trim().slice(0, 80))`);
  assert.deepEqual(cut, [], where);
}

/** Asserts that no short word in a heading, a label, a button or (if there is room) a table is broken; paths and class names may be. */
export async function assertWholeWords(page: Page, where: string): Promise<void> {
  const broken = await page.evaluate<readonly string[]>(`(() => {
    const lines = (text, from, length) => {
      const range = document.createRange();
      range.setStart(text, from);
      range.setEnd(text, from + length);
      return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
    };
    const cells = innerWidth > 640 ? ', td, tbody th' : '';
    const found = [];
    for (const part of document.querySelectorAll('h1, h2, h3, thead th, .menu a, .count, .button, label' + cells)) {
      if (part.closest('.visually-hidden') !== null) continue;
      if (part.closest('details:not([open])') !== null && part.closest('summary') === null) continue;
      const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
      for (let text = walker.nextNode(); text !== null; text = walker.nextNode())
        for (const { 0: word, index } of text.data.matchAll(/[^\\s-]+/gu))
          if (/^[\\p{L}\\d_.]{1,15}[,:;)]?$/u.test(word) && lines(text, index, word.length) > 1) found.push(part.tagName + ': ' + word);
    }
    return found;
  })()`);
  assert.deepEqual(broken, [], where);
}

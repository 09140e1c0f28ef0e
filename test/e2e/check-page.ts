import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { BrowserContext, Locator, Page } from 'playwright-core';

const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

interface AxeResult {
  readonly passes: readonly unknown[];
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** A page that fails its test when it breaks its policy, throws, or loads anything from elsewhere. */
export async function openWatched(
  context: BrowserContext,
  url: string,
): Promise<{ page: Page; faults: string[] }> {
  const page = await context.newPage();
  const faults: string[] = [];
  const origin = new URL(url).origin;
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    const expected = /status of 4\d\d/.test(message.text());
    if (!expected && ['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
      faults.push(`foreign: ${request.url()}`);
  });
  await page.goto(url);
  return { page, faults };
}

/** Clicks what leads to another page, and waits until all of that is there: counts and addresses are of the new page. */
export async function follow(to: Locator): Promise<void> {
  await Promise.all([to.page().waitForEvent('load'), to.click()]);
}

const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** What can change with the colours and the width of a page. */
export const lookRules: readonly string[] = ['color-contrast', 'target-size', 'link-in-text-block'];

/** Opens what is folded: what stands in a fold is a part of the page. Menus stay shut, as only one of them is open at a time. */
export async function openFolds(page: Page): Promise<void> {
  await page.evaluate('for (const fold of document.querySelectorAll("details:not(.drop)")) fold.open = true');
}

/** Runs axe on the page with all its folds open, for WCAG 2.2 A and AA. The page's own policy forbids injected scripts, so they enter by the debugger. */
export async function assertAccessible(
  page: Page,
  where: string,
  rules: readonly string[] = allRules,
): Promise<void> {
  await openFolds(page);
  await page.evaluate(axe);
  const result = await page.evaluate<AxeResult>(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`,
  );
  assert.ok(result.passes.length > 0, 'axe looked at the page');
  const found = result.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join('\n    ')}`,
  );
  assert.deepEqual(found, [], where);
}

/** No part of the page is wider than the window (WCAG 1.4.10), scrolling regions of their own aside. */
export async function assertReflows(page: Page, where: string): Promise<void> {
  const [content, window] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  );
  assert.ok(content <= window, `${where} is ${content} wide in a window of ${window}`);
}

/** No word of a heading, a label or a button is broken in two, however narrow its column is; paths and class names may be. */
export async function assertWholeWords(page: Page, where: string): Promise<void> {
  const broken = await page.evaluate<readonly string[]>(`(() => {
    const parts = document.querySelectorAll('h1, h2, h3, thead th, .menu a, .count, .button, label, summary.button');
    const lines = (node, word) => {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
    };
    return [...parts].flatMap((part) => [...part.childNodes]
      .filter((node) => node.nodeType === 3 && part.getClientRects().length > 0)
      .flatMap((node) => [...node.data.matchAll(/[\\p{L}\\d]+/gu)]
        .filter((word) => word[0].length < 16 && lines(node, word) > 1)
        .map((word) => part.tagName + ': ' + word[0])));
  })()`);
  assert.deepEqual(broken, [], where);
}

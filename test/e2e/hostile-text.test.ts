import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { watchFaults } from './check-page.js';
import { launchBrowser } from './launch-browser.js';
import { openShop, type RecordedShop } from './recorded-shop.js';

const turning = '\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c';
/** Ends any element, attribute, script or comment that contains it, changes the direction of the text around it, and is not well-formed. */
const hostile = `\ud800${turning}</title></style></textarea>--><img src=x onerror="window.injected=1"><script>window.injected=1</script>"'>\x1b[31m\u009b2J\0\u2028`;
/** Letters of a right-to-left script, without characters that change the direction of other text. */
const hebrew = 'אבגדה';

interface Visited {
  readonly shop: RecordedShop;
  /** Paths of pages and records, and of data. */
  readonly pages: readonly string[];
  readonly data: readonly string[];
}

/** A shop in which everything has this text as its name, with the records of its requests. */
async function openCalled(text: string, store = 'memory:'): Promise<Visited> {
  const shop = await openShop({ text, store });
  const { ask, visit, app } = shop;
  const form = { 'Content-Type': 'application/json' };
  const tokens = [(await visit()).token, (await visit()).token];
  tokens.push((await ask(`/broken/${encodeURIComponent(text.replaceAll('\0', '').toWellFormed())}`)).token);
  tokens.push(
    (await ask('/orders', { method: 'POST', headers: form, body: JSON.stringify({ [text]: text }) })).token,
  );
  const [token = '', former = '', broken = '', refused = ''] = tokens;
  await app.profiler?.mark(token, { note: text });
  const menu = (await ask(`/_profiler/${token}`)).body.matchAll(/href="[^"]*\?panel=([a-z]+)"/g);
  const panels = new Set([...menu].map(([, id]) => String(id)));
  assert.ok(panels.size >= 20, [...panels].join(' '));
  const query = encodeURIComponent(text.toWellFormed());
  return {
    shop,
    pages: [
      '/_profiler/',
      `/_profiler/?q=${query}&user=${query}&${query}=1`,
      '/_profiler/routes',
      '/_profiler/errors',
      `/_profiler/compare/${token}/${former}`,
      `/_profiler/compare/${token}/${broken}`,
      `/_profiler/${query}`,
      `/_profiler/${token}?panel=${query}`,
      ...[...panels].map((id) => `/_profiler/${token}?panel=${id}`),
      `/_profiler/${token}?panel=time&threshold=all`,
      `/_profiler/${broken}`,
      `/_profiler/${refused}?panel=request`,
      `/broken/${query.replaceAll('%00', '')}`,
      `/${query.replaceAll('%00', '')}`,
    ],
    data: tokens
      .flatMap((one) => ['json', 'md', 'har', 'curl'].map((as) => `/_profiler/${one}.${as}`))
      .concat(
        '/_profiler/search.json',
        '/_profiler/search.har',
        ...[...panels].map((id) => `/_profiler/${token}.md?panel=${id}`),
      ),
  };
}

const opened: RecordedShop[] = [];
after(() => Promise.all(opened.map((shop) => shop.close())));

/** Runs `look` on each of these pages, in one window. */
async function lookAt(
  { shop, pages }: Visited,
  look: (page: Page, path: string) => Promise<void>,
): Promise<void> {
  const browser = await launchBrowser();
  const page = await browser.newPage({ locale: 'en', viewport: { width: 1440, height: 900 } });
  const faults = watchFaults(page, shop.origin);
  for (const path of pages) {
    await page.goto(shop.origin + path);
    await page.evaluate('for (const fold of document.querySelectorAll("details")) fold.open = true');
    await look(page, path);
    assert.deepEqual(faults, [], path);
  }
  await page.close();
}

/** Our own words that foreign text has moved to the wrong side of the neighbouring word on the same line. */
const turnedWords = `(() => {
  const foreign = /[\\u0590-\\u05ff]/;
  const isInline = (box) => /^(inline$|contents)/.test(getComputedStyle(box).display);
  const boxOf = (box) => isInline(box) ? boxOf(box.parentElement) : box;
  const last = new Map();
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
    if (text.parentElement.closest('svg, [hidden], .visually-hidden, script, style') !== null) continue;
    for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\\d]+/gu)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const [rect, more] = range.getClientRects();
      if (rect === undefined || more !== undefined || rect.width === 0) continue;
      const box = boxOf(text.parentElement);
      const before = last.get(box);
      const isOurs = !foreign.test(word);
      if (before !== undefined && (isOurs || before.isOurs) && Math.abs(before.top - rect.top) < 3 && rect.left < before.left)
        found.push(box.outerHTML.slice(0, 60) + ' … “' + before.word + '” before “' + word + '” of ' + box.textContent.slice(0, 120));
      last.set(box, { word, isOurs, top: rect.top, left: rect.left });
    }
  }
  return found;
})()`;

describe('E3: foreign text in every recorded field', () => {
  it('creates no node, runs nothing and reorders nothing, on every page', async () => {
    const visited = await openCalled(hostile);
    opened.push(visited.shop);
    const found: string[] = [];
    await lookAt(visited, async (page, path) => {
      const injected = await page.evaluate<readonly string[]>(
        `[...document.querySelectorAll('img, base, object, embed, [onerror], iframe:not(.document)'), ...document.querySelectorAll('script')].filter((node) => node.tagName !== 'SCRIPT' || /injected/.test(node.textContent)).map((node) => node.outerHTML.slice(0, 200))`,
      );
      if (injected.length > 0) found.push(`${path}: ${injected.join(' ')}`);
      assert.equal(await page.evaluate('window.injected'), undefined, path);
      const raw = await page.evaluate<readonly string[]>(`(() => {
        const turns = /[\\u202a-\\u202e\\u2066-\\u2069\\u200e\\u200f\\u061c]/;
        const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
        const found = [];
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
          if (node.nodeType === 3 && turns.test(node.data) && node.parentElement.closest('script, style, textarea') === null) found.push(node.parentElement.outerHTML.slice(0, 200));
          if (node.nodeType === 1) for (const name of ['title', 'aria-label', 'alt', 'placeholder', 'data-unit']) if (turns.test(node.getAttribute(name) ?? '')) found.push('@' + name + ' of ' + node.outerHTML.slice(0, 200));
        }
        return found;
      })()`);
      found.push(...raw.map((where) => `${path}: turns text: ${where}`));
    });
    assert.deepEqual(found, []);
  });

  it('does not reverse our words if it is right-to-left', async () => {
    const visited = await openCalled(hebrew);
    opened.push(visited.shop);
    const found: string[] = [];
    await lookAt(visited, async (page, path) => {
      if (path === '/_profiler/') {
        await page.evaluate(
          `document.body.append(Object.assign(document.createElement('p'), { textContent: '${hebrew} 12 ms' }))`,
        );
        assert.equal(
          (await page.evaluate<readonly string[]>(turnedWords)).length,
          1,
          'the check detects reversed text',
        );
        await page.reload();
      }
      for (const words of await page.evaluate<readonly string[]>(turnedWords))
        found.push(`${path}: ${words}`);
    });
    assert.deepEqual(found, []);
  });

  it('neither controls the terminal nor reorders a line, in data and in command output', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookback-hostile-'));
    try {
      const store = `sqlite:${join(folder, 'records.db')}`;
      const { shop, data } = await openCalled(hostile, store);
      const steering = new RegExp(`[${turning}\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]`);
      const found: string[] = [];
      for (const path of data) {
        const { status, body } = await shop.ask(path);
        assert.equal(status, 200, path);
        if (path.endsWith('json') || path.endsWith('.har')) JSON.parse(body);
        const at = body.search(steering);
        if (at !== -1) found.push(`${path}: ${JSON.stringify(body.slice(Math.max(0, at - 60), at + 20))}`);
      }
      const latest = (await shop.visit()).token;
      await shop.close();
      for (const words of [
        ['records'],
        ['records', '--json'],
        ['errors'],
        ['slow'],
        ['show', latest],
        ['show', latest, '--panel', 'db'],
        ['export', '--har'],
        ['export'],
      ]) {
        const command = ['dist/bundle/cli.js', ...words, '--store', store];
        const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
        const text = stdout + stderr;
        assert.equal(status, 0, `${words.join(' ')}: ${text}`);
        assert.ok(text.length > 100, words.join(' '));
        const at = text.replaceAll('\n', ' ').search(steering);
        if (at !== -1)
          found.push(
            `lookback ${words.join(' ')}: ${JSON.stringify(text.slice(Math.max(0, at - 60), at + 20))}`,
          );
      }
      assert.deepEqual(found, []);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import {
  createSourceLoader,
  type ErrorPageContext,
  flattenError,
  NotFoundError,
  renderErrorAnswer,
} from '#core/errors';
import { waitForCopied } from './check-page.js';
import { launchBrowser } from './launch-browser.js';

const sources = createSourceLoader();
const payloads = [
  '<script>window.injected=1</script>',
  '<img src=x onerror="window.injected=1">',
  '"><svg onload="window.injected=1">',
  '</title></style></pre><iframe srcdoc="<script>parent.injected=1</script>">',
  'javascript:window.injected=1',
  "'-window.injected=1-'",
  '<a href="javascript:window.injected=1">x</a><base href="//evil.example/"><form action="//evil.example/">',
];

/** An error page with the text in every field that comes from a request, a log or an error. */
function answer(text: string): ReturnType<typeof renderErrorAnswer> {
  const inner = Object.assign(new TypeError(text), { code: text, [text]: text });
  const thrown = new NotFoundError(`${text} outer`, {
    cause: new AggregateError([inner, text], text, { cause: inner }),
  });
  const pairs = [
    [text, text],
    ['Referer', text],
  ] as const;
  const context: ErrorPageContext = {
    request: { method: text, url: text, headers: pairs },
    logs: [
      { time: 1, level: 'error', channel: text, message: text, context: text },
      { time: 2, level: 'info', channel: 'app', message: text },
    ],
    routing: {
      near: [{ name: text, path: text, reason: text }],
      tried: 2,
      didYouMean: [{ name: text, path: `/${text}` }],
      allow: ['GET', text],
    },
    record: { token: text, link: text },
    editor: 'vscode',
  };
  return renderErrorAnswer(flattenError(thrown, { sources, libraryFolders: [] }), {
    accept: 'text/html',
    debug: true,
    context,
  });
}

let server: Server;
let browser: Browser;
let base = '';
before(async () => {
  server = createServer((request, response) => {
    const text = decodeURIComponent((request.url ?? '/').slice(1)) || 'harmless';
    const { headers, body } = answer(text);
    for (const [name, value] of headers) response.setHeader(name, value);
    response.end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // a TCP server has a port
  browser = await launchBrowser();
});
after(async () => {
  server.closeAllConnections();
  server.close();
});

async function open(
  options: BrowserContextOptions,
  text = '',
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(dialog.message()));
  page.on('request', (request) => {
    if (request.url().startsWith(base) || request.url().endsWith('/favicon.ico')) return;
    complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(base + encodeURIComponent(text));
  return { page, complaints };
}

const count = 'document.querySelectorAll("*").length - document.querySelectorAll("span,mark,a,code").length';

describe('the error page in a browser', () => {
  it('E3: hostile text in every field adds no element, runs nothing and does not violate the policy', async () => {
    const harmless = await open({});
    const expected = await harmless.page.evaluate(count);
    assert.deepEqual(harmless.complaints, []);
    for (const payload of payloads) {
      const { page, complaints } = await open({}, payload);
      assert.equal(await page.evaluate(count), expected, payload);
      assert.equal(await page.evaluate('window.injected'), undefined, payload);
      assert.equal(
        await page.evaluate('document.querySelectorAll("base,iframe,form,object,embed,img").length'),
        0,
        payload,
      );
      assert.deepEqual(complaints, [], payload);
      await page.context().close();
    }
    await harmless.page.context().close();
  });

  it('works without JavaScript: complete, with frames expanded, and without dead buttons', async () => {
    const { page } = await open({ javaScriptEnabled: false });
    assert.match((await page.locator('h1').textContent()) ?? '', /harmless outer/);
    assert.equal(await page.locator('button:visible').count(), 0);
    const closed = page.locator('.frames > li > details:not([open]) > summary').first();
    await closed.click();
    assert.ok(await page.locator('pre.code:visible, .frame-note:visible, .run-calls:visible').count());
    await page.locator('#as-markdown summary').click();
    assert.match((await page.locator('#markdown').textContent()) ?? '', /^# 404 Not Found/);
    await page.context().close();
  });

  it('works by keyboard: skip link first, frames open with Enter, focus is visible', async () => {
    const { page } = await open({});
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.className'), 'skip-link');
    const summary = page.locator('details.pic > summary, .frames > li > details > summary').first();
    await summary.focus();
    const state = (): Promise<unknown> =>
      summary.evaluate((node) => node.parentElement?.hasAttribute('open'));
    const was = await state();
    await page.keyboard.press('Enter');
    assert.notEqual(await state(), was);
    assert.notEqual(await summary.evaluate('(node) => getComputedStyle(node).outlineStyle'), 'none');
    await page.context().close();
  });

  it('copies the report as Markdown by button and by keyboard', async () => {
    const { page } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await page.getByText('Copied.').waitFor();
    assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /^# 404 Not Found/);
    await page.evaluate("navigator.clipboard.writeText('')");
    await page.keyboard.press('m');
    await waitForCopied(page, /^# 404/);
    await page.context().close();
  });

  it('switches between light and dark and remembers the choice', async () => {
    const { page } = await open({ colorScheme: 'light' });
    await page.getByRole('button', { name: /^Theme/ }).click();
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
    await page.reload();
    assert.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(16, 18, 22)');
    await page.context().close();
  });
});

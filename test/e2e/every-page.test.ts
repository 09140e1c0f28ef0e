import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import {
  assertAccessible,
  assertNothingCut,
  assertReflows,
  assertWholeWords,
  follow,
  loadAxe,
  watchFaults,
} from './check-page.js';
import { launchBrowser } from './launch-browser.js';
import { openShop, type RecordedShop } from './recorded-shop.js';

/** A page: its path, and the text that it must contain, with and without a script. */
interface CheckedPage {
  readonly path: string;
  readonly reads: RegExp;
  readonly status?: number;
  /** The page has the same parts as another page, only more of them; their appearance is checked there. */
  readonly isLong?: true;
  /** A button on that page, which leads to the page to check. */
  readonly press?: string;
}

const widths = [320, 820, 1440, 2560];
/** Light colours are checked only on these pages, because a unit test compares each pair of colours in both themes. */
const lightPages = ['list', 'overview', 'database', 'comparison', 'error page'];
/** The maximum size of a page, in characters. */
const maxHtml = 60_000;
const maxStyles = 23_000;
const maxScripts = 15_000;

let shop: RecordedShop;
let browser: Browser;
let pages: ReadonlyMap<string, CheckedPage>;

before(async () => {
  shop = await openShop();
  pages = await listPages(shop);
  browser = await launchBrowser();
});
after(() => shop?.close());

async function listPages({ ask, visit, app }: RecordedShop): Promise<ReadonlyMap<string, CheckedPage>> {
  const json = { 'Content-Type': 'application/json' };
  const former = await visit('/products/coffee');
  const { token } = await visit();
  const tokenOf = async (path: string, init: Parameters<RecordedShop['ask']>[1] = {}): Promise<string> =>
    (await ask(path, init)).token;
  const broken = await tokenOf('/broken/tea');
  const causes = await tokenOf('/causes');
  const refused = await tokenOf('/orders', { method: 'POST', headers: json, body: '{"email":"x"}' });
  const busy = await tokenOf('/busy?_profile=cpu');
  const large = await tokenOf('/large');
  const missed = await tokenOf('/nowhere');
  await app.profiler?.mark(token, { note: 'Ask Ann' });
  const panel = (id: string, of = token): string => `/_profiler/${of}?panel=${id}`;
  return new Map<string, CheckedPage>([
    ['list', { path: '/_profiler/', reads: /\/products\/tea/ }],
    ['list of nothing', { path: '/_profiler/?q=nothing-has-this', reads: /No request matches/ }],
    ['refused filter', { path: '/_profiler/?status=4o0&q=time:%3Ex', reads: /Use a code/, status: 400 }],
    ['replay', { path: `/_profiler/${refused}`, press: 'Replay', reads: /POST[^]*\/orders/ }],
    ['deletion', { path: '/_profiler/', press: 'Delete all records…', reads: /records/ }],
    ['own requests', { path: '/_profiler/?own=1', reads: /Profiler requests|The profiler/ }],
    ['routes', { path: '/_profiler/routes', reads: /p95[^]*product/ }],
    ['errors', { path: '/_profiler/errors', reads: /recorded-shop\.ts/ }],
    [
      'comparison',
      {
        path: `/_profiler/compare/${former.token}/${token}`,
        reads: /\/products\/coffee[^]*(?:left out|Same in both)/,
      },
    ],
    ['no comparison', { path: `/_profiler/compare?t=${token}`, reads: /Select two requests/, status: 404 }],
    ['no record', { path: '/_profiler/ffffff', reads: /No record ffffff/, status: 404 }],
    ['no panel', { path: panel('nope'), reads: /There is no panel/, status: 404 }],
    ['overview', { path: panel('overview'), reads: /src\/journal\.ts:154 ran the same query 6 times/ }],
    ['request', { path: panel('request'), reads: /Query parameters[^]*sort[^]*Who set the headers/ }],
    ['logs', { path: panel('logs'), reads: /Only two are left/ }],
    ['10,000 lines', { path: panel('logs', large), reads: /of 10,00\d entries were left out/, isLong: true }],
    ['2,000 queries', { path: panel('db', large), reads: /further queries were counted/, isLong: true }],
    ['exception', { path: panel('exception', broken), reads: /The product could not be shown/ }],
    ['25 causes', { path: panel('exception', causes), reads: /Cause 11[^]*Cause 24/, isLong: true }],
    ['routing', { path: panel('routing'), reads: /\/products\/\{name\}/ }],
    ['routing of a miss', { path: panel('routing', missed), reads: /path does not match/ }],
    ['events', { path: panel('events'), reads: /continued/ }],
    ['time', { path: `${panel('time')}&threshold=all`, reads: /load prices/ }],
    ['flames', { path: panel('cpu', busy), reads: /on the CPU[^]*pbkdf2Sync/ }],
    ['database', { path: panel('db'), reads: /no such table: visit/ }],
    ['calls', { path: panel('http'), reads: /\/prices\/tea/ }],
    ['cache', { path: panel('cache'), reads: /basket:3/ }],
    ['mail', { path: panel('mail'), reads: /bill\.pdf/ }],
    ['jobs', { path: panel('jobs'), reads: /welcome/ }],
    ['trace', { path: panel('trace'), reads: /this one/ }],
    ['dumps', { path: panel('dump'), reads: /the basket/ }],
    ['templates', { path: panel('view'), reads: /Products/ }],
    ['a refused body', { path: panel('request', refused), reads: /is no address/ }],
    ['security', { path: panel('security'), reads: /the user has ROLE_CLERK/ }],
    ['translation', { path: panel('translation'), reads: /shop\.missing/ }],
    ['configuration', { path: panel('config'), reads: /retention records/ }],
    ['profiler itself', { path: panel('self'), reads: /Profiler overhead/ }],
    ['other data', { path: panel('more'), reads: /weather[^]*grey/ }],
    [
      'error page',
      {
        path: '/broken/tea',
        reads: /The product could not be shown[^]*undefined is not a product/,
        status: 500,
      },
    ],
    [
      'error page of 25 causes',
      { path: '/causes', reads: /Cause 11[^]*Cause 24/, status: 500, isLong: true },
    ],
    ['page of a miss', { path: '/nowhere', reads: /No route found/, status: 404 }],
  ]);
}

async function open(page: Page, { path, status = 200, press }: CheckedPage): Promise<void> {
  const answer = await page.goto(shop.origin + path);
  assert.equal(answer?.status(), status, path);
  if (press === undefined) return;
  const button = page.getByRole('button', { name: press, exact: true });
  // In narrow windows, a record's actions are in a menu.
  if (!(await button.isVisible())) await page.getByTitle('More actions').click();
  await follow(button);
}

/** Counts the characters of HTML, styles and scripts on a page, which loads nothing else. */
async function weigh(page: Page): Promise<Readonly<Record<'html' | 'styles' | 'scripts', number>>> {
  return page.evaluate(`(() => {
    const sizes = (selector) => [...document.querySelectorAll(selector)].reduce((sum, { textContent }) => sum + textContent.length, 0);
    const [styles, scripts] = [sizes('style'), sizes('script')];
    return { html: document.documentElement.outerHTML.length - styles - scripts, styles, scripts };
  })()`);
}

/** Failures so far; a test continues with the next page and reports all of them at the end. */
class Findings {
  readonly #found: string[] = [];

  async note(check: () => unknown): Promise<void> {
    try {
      await check();
    } catch (error) {
      this.#found.push(error instanceof Error ? error.message : String(error));
    }
  }

  end(): void {
    if (this.#found.length > 0) assert.fail(this.#found.join('\n\n'));
  }
}

async function assertReads(page: Page, { reads }: CheckedPage, where: string): Promise<void> {
  const text = await page.evaluate<string>('document.body.textContent');
  assert.ok(reads.test(text), `${where}: the text does not match ${String(reads)}`);
}

async function assertLight(page: Page, name: string): Promise<void> {
  const { html, styles, scripts } = await weigh(page);
  assert.ok(html <= maxHtml, `${name}: ${html} characters of HTML`);
  assert.ok(styles <= maxStyles, `${name}: ${styles} characters of styles`);
  assert.ok(scripts <= maxScripts, `${name}: ${scripts} characters of scripts`);
}

/** Checks a page in each window: light, dark, narrow, wide and on paper. */
async function checkLooks(page: Page, name: string, checked: CheckedPage, findings: Findings): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  await open(page, checked);
  await findings.note(() => assertLight(page, name));
  await findings.note(() => assertReads(page, checked, name));
  if (checked.isLong !== true)
    await findings.note(() =>
      assertAccessible(page, `${name}, light`, lightPages.includes(name) ? 'all' : 'structure'),
    );
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    const where = `${name} at ${width} px`;
    await findings.note(() => assertReflows(page, where));
    await findings.note(() => assertWholeWords(page, where));
    await findings.note(() => assertNothingCut(page, where));
    if (width === 320 && checked.isLong !== true)
      await findings.note(() => assertAccessible(page, `${where}, dark`, 'look'));
  }
  await page.setViewportSize({ width: 820, height: 900 });
  await page.emulateMedia({ media: 'print' });
  await findings.note(() => assertReflows(page, `${name} on paper`));
  await findings.note(() => assertNothingCut(page, `${name} on paper`));
  const controls = page.locator(
    'form:not(:has(table)):visible, nav:not(.filters):visible, .button:visible, button:visible',
  );
  await findings.note(async () => assert.deepEqual(await controls.allInnerTexts(), [], `${name} on paper`));
}

// Tests run concurrently: each has its own pages in the browser, and mostly waits for them.
describe('every page', { concurrency: true }, () => {
  it('is accessible in light and dark, fits every width and paper with all sections expanded, and is small', async () => {
    const findings = new Findings();
    const left = [...pages];
    const checkOthers = async (): Promise<void> => {
      const page = await browser.newPage({ locale: 'en' });
      await loadAxe(page);
      const faults = watchFaults(page, shop.origin);
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const [name, checked] = next;
        await checkLooks(page, name, checked, findings);
        await findings.note(() => assert.deepEqual(faults.splice(0), [], name));
      }
      await page.close();
    };
    await Promise.all([checkOthers(), checkOthers()]);
    findings.end();
  });

  it('has the same content without scripts, and no dead buttons', async () => {
    const findings = new Findings();
    const page = await browser.newPage({
      locale: 'en',
      javaScriptEnabled: false,
      viewport: { width: 320, height: 900 },
    });
    for (const [name, checked] of pages) {
      await open(page, checked);
      await findings.note(() => assertReads(page, checked, name));
      await findings.note(() => assertReflows(page, `${name} without a script`));
      const idle = page.locator('button:visible:not([type=submit])');
      await findings.note(async () => assert.deepEqual(await idle.allInnerTexts(), [], name));
    }
    await page.close();
    findings.end();
  });
});

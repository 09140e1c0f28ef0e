import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Service, sharedService } from '../contract/service.js';
import { assertAccessible, assertReflows, follow, loadAxe, openWatched } from './check-page.js';
import { launchBrowser } from './launch-browser.js';

let browser: Browser;
let service: Service;
before(async () => {
  service = await sharedService();
  browser = await launchBrowser();
});

/** Calls `work` with a separate browser context, which shares no cookies. */
async function asVisitor(
  work: (context: BrowserContext) => Promise<void>,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<void> {
  const context = await browser.newContext({ locale: 'en-GB', baseURL: service.url, ...options });
  try {
    await work(context);
  } finally {
    await context.close();
  }
}

async function logIn(page: Page, name: string, options: { remember?: boolean } = {}): Promise<void> {
  if (!/\/login/.test(page.url())) await page.goto('/en/login');
  await page.fill('[name=_username]', name);
  await page.fill('[name=_password]', name);
  if (options.remember === true) await page.check('[name=_remember_me]');
  await follow(page.locator('main button'));
}

const heading = (page: Page): Promise<string> => page.locator('h1').innerText();

describe('the journal in a browser', () => {
  it("opens in the browser's language, and every page is accessible, narrow and without faults", async () => {
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 320],
    ] as const) {
      await asVisitor(
        async (context) => {
          const { page, faults } = await openWatched(context, `${service.url}/`);
          assert.equal(page.url(), `${service.url}/fr`);
          await loadAxe(page);
          await logIn(page, 'admin');
          const paths = [
            '/fr',
            '/fr/articles',
            '/fr/articles/lire-une-pile-dappels',
            '/fr/articles/lire-une-pile-dappels/edit',
            '/fr/articles/lire-une-pile-dappels/history',
            '/fr/login',
            '/fr/message',
            '/admin',
            '/failures',
          ];
          for (const path of paths) {
            await page.goto(path);
            await assertReflows(page, `${path} at ${width}`);
            await assertAccessible(
              page,
              `${path}, ${colorScheme}`,
              colorScheme === 'dark' ? 'look' : 'structure',
            );
          }
          assert.deepEqual(faults, []);
        },
        { locale: 'fr-CA', colorScheme, viewport: { width, height: 800 } },
      );
    }
  });

  it('requires a login to comment, shows the comment, and logs the reader out', async () => {
    await asVisitor(
      async (context) => {
        const page = await context.newPage();
        await page.goto('/en/articles/reading-a-stack-trace');
        await follow(page.getByRole('link', { name: 'Log in to comment' }));
        await logIn(page, 'reader');
        assert.match(page.url(), /\/en\/articles\/reading-a-stack-trace#comments$/);
        await page.fill('[name=text]', '!');
        await follow(page.getByRole('button', { name: 'Send' }));
        assert.match(await page.locator('.problem').innerText(), /at least 2/);
        await page.fill('[name=text]', '<b>Bold</b> words');
        await follow(page.getByRole('button', { name: 'Send' }));
        assert.match(await page.locator('.comments li').last().innerText(), /<b>Bold<\/b> words\s+reader/);
        assert.equal(await page.getByRole('link', { name: 'Edit' }).count(), 0);
        await follow(page.getByRole('button', { name: 'Log out' }));
        assert.equal(page.url(), `${service.url}/en`);
        assert.equal(await page.getByRole('link', { name: 'Log in' }).count(), 1);
        await page.goBack();
        assert.match(page.url(), /reading-a-stack-trace/);
        assert.equal(
          await page.getByRole('button', { name: 'Log out' }).count(),
          0,
          'the back button does not show the logged-in page',
        );
      },
      { javaScriptEnabled: false },
    );
  });

  it('remembers users who requested it after the session has ended, and no one else', async () => {
    for (const remember of [true, false])
      await asVisitor(async (context) => {
        const page = await context.newPage();
        await logIn(page, 'editor', { remember });
        await context.clearCookies({ name: 'session' });
        await page.goto('/en/articles/reading-a-stack-trace/edit');
        assert.equal(/\/login/.test(page.url()), !remember, page.url());
        if (!remember) return;
        await follow(page.getByRole('button', { name: 'Log out' }));
        await page.goto('/en/articles/reading-a-stack-trace/edit');
        assert.match(page.url(), /\/en\/login$/);
      });
  });

  it('revokes permissions together with the role, at the next request', async () => {
    await asVisitor(async (editors) => {
      const editor = await editors.newPage();
      await logIn(editor, 'editor', { remember: true });
      const edit = '/en/articles/reading-a-stack-trace/edit';
      assert.equal((await editor.goto(edit))?.status(), 200);
      await asVisitor(async (admins) => {
        const admin = await admins.newPage();
        await admin.goto('/admin');
        await logIn(admin, 'admin');
        assert.equal(admin.url(), `${service.url}/admin`);
        const giveEditor = async (role: string): Promise<void> => {
          await admin.getByLabel('Role: editor').selectOption({ label: role });
          await follow(admin.getByRole('button', { name: 'Change: editor' }));
        };
        await giveEditor('Reader');
        assert.notEqual((await editor.goto(edit))?.status(), 200);
        await editor.goto('/en/articles/reading-a-stack-trace');
        assert.equal(await editor.getByRole('link', { name: 'Edit', exact: true }).count(), 0);
        await giveEditor('Editor');
        assert.equal((await editor.goto(edit))?.status(), 200);
      });
    });
  });

  it('is edited in two languages in two windows, and each reverts to its own history', async () => {
    await asVisitor(async (context) => {
      const [english, german] = [await context.newPage(), await context.newPage()];
      await logIn(english, 'editor');
      await english.goto('/en/articles/two-windows-two-languages/edit');
      await german.goto('/de/articles/zwei-fenster-zwei-sprachen/edit');
      await english.fill('[name=title]', 'Two windows at once');
      await german.fill('[name=title]', 'Zwei Fenster zugleich');
      await Promise.all([
        follow(english.getByRole('button', { name: 'Save' })),
        follow(german.getByRole('button', { name: 'Speichern' })),
      ]);
      assert.equal(english.url(), `${service.url}/en/articles/two-windows-at-once`);
      assert.equal(german.url(), `${service.url}/de/articles/zwei-fenster-zugleich`);
      assert.equal(await heading(english), 'Two windows at once');
      assert.equal(await heading(german), 'Zwei Fenster zugleich');
      await german.goto('/fr/articles/deux-fenetres-deux-langues');
      assert.equal(await heading(german), 'Deux fenêtres, deux langues');

      await follow(english.getByRole('link', { name: 'History' }));
      await follow(english.getByRole('button', { name: 'Revert to this version' }).last());
      await english.goto('/en/articles/two-windows-two-languages');
      assert.equal(await heading(english), 'Two windows, two languages');
      await german.goto('/de/articles/zwei-fenster-zugleich');
      assert.equal(await heading(german), 'Zwei Fenster zugleich');
    });
  });

  it('shows both texts if two windows edit the same language, and loses neither', async () => {
    await asVisitor(
      async (context) => {
        const [first, second] = [await context.newPage(), await context.newPage()];
        await logIn(first, 'editor');
        const path = '/en/articles/why-a-missing-page-should-explain-itself';
        await first.goto(`${path}/edit`);
        await second.goto(`${path}/edit`);
        await first.fill('[name=title]', 'Why a missing page explains itself');
        await follow(first.getByRole('button', { name: 'Save' }));
        assert.equal(first.url(), `${service.url}/en/articles/why-a-missing-page-explains-itself`);
        await second.fill('[name=body]', 'My own words, which took me all morning.');
        await follow(second.getByRole('button', { name: 'Save' }));
        assert.match(await second.getByRole('alert').innerText(), /editor saved a different text/);
        assert.equal(await second.locator('mark').first().innerText(), 'Why a missing page explains itself');
        assert.equal(await second.inputValue('[name=body]'), 'My own words, which took me all morning.');
        await assertReflows(second, 'the conflict at 320');
        await assertAccessible(second, 'the conflict'); // all rules, in light colours
        await follow(second.getByRole('button', { name: 'Save' }));
        assert.equal(second.url(), service.url + path);
        assert.match(await second.locator('.prose').innerText(), /all morning/);
        await follow(second.getByRole('link', { name: 'History' }));
        assert.match(await second.locator('main').innerText(), /Why a missing page explains itself/);
      },
      { viewport: { width: 320, height: 800 } },
    );
  });

  it('keeps the page when the language is switched, and the language from then on', async () => {
    await asVisitor(async (context) => {
      const page = await context.newPage();
      await page.goto('/en/articles/reading-a-stack-trace');
      await follow(page.getByRole('button', { name: 'Deutsch' }));
      assert.equal(page.url(), `${service.url}/de/articles/einen-aufrufstapel-lesen`);
      assert.equal(await page.locator('html').getAttribute('lang'), 'de');
      await page.goto('/');
      assert.equal(page.url(), `${service.url}/de`);
      await page.goto('/failures');
      await follow(page.getByRole('button', { name: 'Français' }));
      assert.equal(page.url(), `${service.url}/failures`);
      await page.goto('/articles/reading-a-stack-trace');
      assert.equal(page.url(), `${service.url}/fr/articles/lire-une-pile-dappels`);
    });
  });
});

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { annotate, type App, createApp, type RunningServer } from 'lookback';
import type { ControllerContext } from 'lookback/controller';
import { html } from 'lookback/html';
import {
  createMemoryUserProvider,
  createSecurity,
  failureMessage,
  formLogin,
  isGranted,
} from 'lookback/security';
import { cheapHasher } from '../security/guarded-app.js';
import { follow } from './check-page.js';
import { launchBrowser } from './launch-browser.js';

const passwordHash = await cheapHasher.hash('editor');
const editor = { identifier: 'editor', roles: ['ROLE_EDITOR'], passwordHash };
const users = createMemoryUserProvider([editor]);

const form = ({ query }: ControllerContext): ReturnType<typeof html> =>
  html`<title>Login</title>
    <p>${failureMessage(query.get('error') ?? '') ?? ''}</p>
    <form method="post">
      <input name="_username" /><input name="_password" type="password" />
      <input type="checkbox" name="_remember_me" /><button>Log in</button>
    </form>`;

const desk = ({ user }: ControllerContext): ReturnType<typeof html> =>
  html`<title>Desk</title>
    <h1>${user?.identifier ?? 'stranger'}</h1>
    <form method="post" action="/note"><button id="note">Note</button></form>
    <form method="post" action="/logout"><button id="leave">Log out</button></form>`;

/** The application as set up in docs/guides/security.md. */
function createDesk(): App {
  const main = { name: 'main', authenticators: [formLogin()], logout: true, rememberMe: true };
  const secret = 'a secret for this test that is long enough';
  const security = createSecurity({ secret, provider: users, hashers: [cheapHasher], firewalls: [main] });
  const app = createApp({
    configuration: { debug: false, env: 'test', profilerStore: 'off', host: '127.0.0.1', port: 0 },
    logHandlers: [],
    security,
  });
  app.get('/login', form);
  app.get('/desk', annotate(desk, isGranted.of('ROLE_EDITOR')));
  app.post('/note', () => 'noted');
  return app;
}

describe('security, in a browser', () => {
  let app: App;
  let server: RunningServer;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let other: Server;
  before(async () => {
    app = createDesk();
    server = await app.listen();
    browser = await launchBrowser();
    context = await browser.newContext();
    page = await context.newPage();
    // A page on another site that posts here as soon as it is opened.
    other = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(
        `<form method="post" action="${server.url}/note"></form><script>document.forms[0].submit()</script>`,
      );
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    other.close();
    await app.close();
  });

  const logIn = async (password: string, remember: boolean): Promise<void> => {
    await page.fill('[name=_username]', 'editor');
    await page.fill('[name=_password]', password);
    if (remember) await page.check('[name=_remember_me]');
    await follow(page.locator('button'));
  };

  it('redirects anonymous visitors to the login, explains a failed login, and leads back', async () => {
    await page.goto(`${server.url}/desk?from=mail`);
    assert.equal(await page.title(), 'Login');
    await logIn('wrong', false);
    assert.equal(await page.textContent('p'), 'Invalid credentials.');
    await logIn('editor', true);
    assert.equal(page.url(), `${server.url}/desk?from=mail`);
    assert.equal(await page.textContent('h1'), 'editor');
  });

  it('accepts forms from its own pages but not from other sites', async () => {
    await follow(page.locator('#note'));
    assert.equal(await page.textContent('body'), 'noted');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const visit = await context.newPage();
    const answered = visit.waitForResponse((response) => response.url().endsWith('/note'));
    await visit.goto(`http://localhost:${port}/`); // a different host name, and thus a different site than 127.0.0.1
    assert.equal((await answered).status(), 403);
    await visit.close();
  });

  it('remembers users who requested it when the session cookie is gone', async () => {
    const cookies = await context.cookies();
    for (const cookie of cookies) assert.ok(cookie.httpOnly && cookie.sameSite === 'Lax', cookie.name);
    await context.clearCookies({ name: 'session' });
    await page.goto(`${server.url}/desk`);
    assert.equal(await page.textContent('h1'), 'editor');
  });

  it('revokes access together with the role, at the next request', async () => {
    users.put({ ...editor, roles: [] });
    assert.equal((await page.goto(`${server.url}/desk`))?.status(), 403);
    users.put(editor);
    assert.equal((await page.goto(`${server.url}/desk`))?.status(), 200);
  });

  it('a logout ends the session and the remembered login', async () => {
    await follow(page.locator('#leave'));
    assert.deepEqual(await context.cookies(), []);
    await page.goto(`${server.url}/desk`);
    assert.equal(await page.title(), 'Login');
  });
});

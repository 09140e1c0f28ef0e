import { setTimeout as wait } from 'node:timers/promises';
import type { App } from 'lookback';
import { BadRequestError, HttpResponse } from 'lookback';
import { localeCookie } from 'lookback/locale';
import { text } from '../languages.js';
import { HomePage } from '../pages/home-page.js';
import type { Services } from '../services.js';
import type { Context } from '../pages/page.js';
import { showFailedLogin, showLogin } from './login.js';
import { createMessageForm } from './message-form.js';

/** Localised pages other than articles. */
export function addSiteRoutes(app: App, services: Services): void {
  const { site } = services;
  const form = createMessageForm(site);
  app
    .get('', (context) => showHome(context, services), { name: 'home' })
    .get('/login', (context) => showLogin(context, services), { name: 'login' })
    .post('/login', (context) => showFailedLogin(context, services), { name: 'login_again' })
    .post('/language', chooseLanguage, { name: 'language' })
    .get('/message', form.show, { name: 'message' })
    .post('/message', form.receive, { name: 'message_send' })
    .get('/start', ({ url }) => HttpResponse.redirect(url('home')), { name: 'start' })
    .get('/slow', takeTime, { name: 'slow' })
    .get('/stream', countdown, { name: 'stream' });
}

async function showHome(context: Context, { database, site, isDebug }: Services): Promise<HttpResponse> {
  const journal = database.journal(context.request);
  const articles = await journal.articles();
  return site.page(context, () => ({
    title: text('journal'),
    content: HomePage({
      context,
      latest: articles.slice(0, 3),
      isTranslated: (article) => journal.isTranslated(article),
      isDebug,
    }),
  }));
}

/** Stores the path's language and redirects back to the page. Only paths on this site are followed. */
async function chooseLanguage({ request, locale }: Context): Promise<HttpResponse> {
  const page = (await request.form()).get('page') ?? '';
  if (!isOwnPath(page)) throw new BadRequestError('That is not a page on this site.');
  const response = HttpResponse.redirect(page, { status: 303 });
  localeCookie(response, locale);
  return response;
}

/** A path without host and query: two leading slashes would name another site. */
function isOwnPath(path: string): boolean {
  return /^\/(?!\/)[\w%.~/-]*$/.test(path);
}

async function takeTime(): Promise<string> {
  await wait(800);
  return 'That took 800 ms.\n';
}

async function* countdown(): AsyncGenerator<string> {
  for (let left = 5; left > 0; left--) {
    yield `${left}\n`;
    await wait(200);
  }
  yield 'done\n';
}

import { setTimeout as wait } from 'node:timers/promises';
import type { App } from 'lookback';
import { createApp, HttpResponse, NotFoundError } from 'lookback';
import { html } from 'lookback/html';
import { articles, findArticle } from './articles.js';
import { showGreeting } from './failures.js';
import { receiveMessage, showMessageForm } from './message-form.js';
import { page } from './page.js';

/** The application that `npm start` serves. It has no route for /robots.txt. */
export function createDemo(): App {
  const app = createApp();
  app.get('/', ({ url }) => page('Home', home(url)), { name: 'home' });
  app.get('/articles', ({ url }) => page('Articles', list(url)), { name: 'articles' });
  app.get('/articles/{slug}', ({ params }) => showArticle(params['slug'] ?? ''), { name: 'article' });
  app.get('/message', showMessageForm, { name: 'message' });
  app.post('/message', receiveMessage, { name: 'message_send' });
  app.get('/api/articles', () => articles, { name: 'api_articles' });
  app.get('/api/articles/{slug}', ({ params }) => getArticle(params['slug'] ?? ''), { name: 'api_article' });
  app.get('/start', ({ url }) => HttpResponse.redirect(url('home')), { name: 'start' });
  app.get(
    '/slow',
    async () => {
      await wait(800);
      return 'That took 800 ms.\n';
    },
    { name: 'slow' },
  );
  app.get('/stream', () => countdown(), { name: 'stream' });
  app.get('/failure', showGreeting, { name: 'failure' });
  return app;
}

type Url = (name: string, parameters?: Readonly<Record<string, unknown>>) => string;

function home(url: Url): ReturnType<typeof html> {
  return html`<header><a href="${url('home')}">Journal</a><a href="${url('articles')}">Articles</a></header>
    <main>
      <h1>A small journal</h1>
      <p>
        Every request to this site leaves a record. Ask for something, then open
        <a href="/_profiler/">the profiler</a>.
      </p>
      <ul>
        <li>
          <a href="${url('articles')}">Articles</a>, and the same <a href="${url('api_articles')}">as JSON</a>
        </li>
        <li><a href="${url('message')}">A form</a> that says what is wrong</li>
        <li>
          <a href="${url('start')}">A redirect</a>, <a href="${url('slow')}">a slow page</a>,
          <a href="${url('stream')}">a stream</a>
        </li>
        <li><a href="${url('failure')}">A page that fails</a>: three errors, one behind the other</li>
        <li><a href="/artcles">A page that does not exist</a></li>
      </ul>
    </main>`;
}

function list(url: Url): ReturnType<typeof html> {
  const items = articles.map(
    ({ slug, title, written }) =>
      html`<li><a href="${url('article', { slug })}">${title}</a>, ${written}</li>`,
  );
  return html`<header><a href="${url('home')}">Journal</a></header>
    <main>
      <h1>Articles</h1>
      <ul>
        ${items}
      </ul>
    </main>`;
}

function showArticle(slug: string): HttpResponse {
  const { title, text, written } = getArticle(slug);
  return page(
    title,
    html`<main>
      <h1>${title}</h1>
      <p>${text}</p>
      <p><small>${written}</small></p>
    </main>`,
  );
}

function getArticle(slug: string): NonNullable<ReturnType<typeof findArticle>> {
  const article = findArticle(slug);
  if (article === undefined) throw new NotFoundError(`There is no article "${slug}".`);
  return article;
}

async function* countdown(): AsyncGenerator<string> {
  for (let left = 5; left > 0; left--) {
    yield `${left}\n`;
    await wait(200);
  }
  yield 'done\n';
}

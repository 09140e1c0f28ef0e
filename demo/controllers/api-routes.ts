import type { AppRoute } from 'lookback';
import type { Services } from '../services.js';
import type { Context } from '../pages/page.js';
import { findArticle } from './find-article.js';

/** Serves the articles as JSON. The firewall requires a token. */
export function apiRoutes(services: Services): readonly AppRoute[] {
  return [
    {
      path: '/api/articles',
      name: 'api_articles',
      methods: ['GET'],
      controller: async ({ request }: Context) => {
        const articles = await services.database.journal(request).articles();
        return articles.map(({ slug, title, publishedAt }) => ({ slug, title, publishedAt }));
      },
    },
    {
      path: '/api/articles/{slug}',
      name: 'api_article',
      methods: ['GET'],
      controller: async (context: Context) => {
        const { article } = await findArticle(services, context);
        const { slug, title, body, publishedAt, comments } = article;
        return { slug, title, body, publishedAt, comments: comments.getItems().map(({ text }) => text) };
      },
    },
  ];
}

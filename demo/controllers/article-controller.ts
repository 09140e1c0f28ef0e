import { Get, HttpResponse, NotFoundError, Post, Route } from 'lookback';
import { isGranted } from 'lookback/security';
import type { Article } from '../database/article.js';
import { shortestComment } from '../database/article.js';
import { languagePath, text } from '../languages.js';
import { takeText } from '../kept-text.js';
import { leaveNotice } from '../notices.js';
import { ArticleList } from '../pages/article-list.js';
import type { CommentDraft } from '../pages/article-page-props.js';
import { ArticlePage } from '../pages/article-page.js';
import type { Services } from '../services.js';
import type { Context } from '../pages/page.js';
import type { FoundArticle } from './find-article.js';
import { findArticle } from './find-article.js';
import { logInFirst } from './login.js';
import { readText } from './read-text.js';

/** Articles and their comments. */
@Route(`${languagePath}/articles`)
export class ArticleController {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  @Get('', { name: 'articles' })
  async list(context: Context): Promise<HttpResponse> {
    const { database, site } = this.#services;
    const journal = database.journal(context.request);
    const articles = await journal.articles();
    const isTranslated = (article: Article): boolean => journal.isTranslated(article);
    return site.page(context, () => ({
      title: text('articles'),
      content: ArticleList({ articles, isTranslated, url: context.url }),
    }));
  }

  @Get('/{slug}', { name: 'article' })
  async show(context: Context): Promise<HttpResponse> {
    const found = await findArticle(this.#services, context);
    const { slug } = found.article;
    // The article exists, but has a different address in this language.
    if (slug !== context.params['slug']) return leadOn(context.url('article', { slug }), found.isFormer);
    const { security } = this.#services;
    const kept = await takeText(security, context.request, ({ page }) => page === context.request.rawPath);
    if (kept === undefined) return this.#page(context, found);
    await leaveNotice(security, context.request, 'textBack');
    return this.#page(context, found, { words: readText(kept.fields['text']), isTooShort: false });
  }

  /** Sends a reader who wants to comment through the login. */
  @Get('/{slug}/discuss', { name: 'article_discuss' })
  @isGranted.on('IS_AUTHENTICATED')
  discuss({ params, url }: Context): HttpResponse {
    return HttpResponse.redirect(`${url('article', { slug: params['slug'] })}#comments`);
  }

  @Post('/{slug}/comments', { name: 'comment' })
  async comment(context: Context): Promise<HttpResponse> {
    const page = context.url('article', { slug: context.params['slug'] });
    const login = await logInFirst(context, this.#services, { role: 'IS_AUTHENTICATED', page });
    if (login !== undefined) return login;
    const found = await findArticle(this.#services, context);
    const words = readText((await context.request.form()).get('text'));
    if (words.length < shortestComment) return this.#page(context, found, { words, isTooShort: true });
    await found.journal.comment(found.article, words);
    await leaveNotice(this.#services.security, context.request, 'commented');
    return HttpResponse.redirect(`${context.url('article', { slug: found.article.slug })}#comments`, {
      status: 303,
    });
  }

  @Post('/{slug}/comments/{id<\\d+>}/remove', { name: 'comment_remove' })
  @isGranted.on('ROLE_EDITOR')
  async removeComment(context: Context): Promise<HttpResponse> {
    const { journal, article } = await findArticle(this.#services, context);
    const isRemoved = await journal.removeComment(article, Number(context.params['id']));
    if (!isRemoved) throw new NotFoundError('There is no such comment, or not any more.');
    await leaveNotice(this.#services.security, context.request, 'commentRemoved');
    return HttpResponse.redirect(`${context.url('article', { slug: article.slug })}#comments`, {
      status: 303,
    });
  }

  /** The article's page; `draft` is a comment that was not accepted yet. */
  async #page(
    context: Context,
    { journal, article }: FoundArticle,
    draft?: CommentDraft,
  ): Promise<HttpResponse> {
    const addresses = await journal.addresses(article);
    const { locale, url } = context;
    return this.#services.site.page(context, (reader) => ({
      title: article.title,
      status: draft?.isTooShort === true ? 422 : 200,
      pathIn: (language) =>
        url('article', { _locale: language, slug: addresses.get(language) ?? addresses.get('en') }),
      content: ArticlePage({ article, isTranslated: addresses.has(locale), reader, url, draft }),
    }));
  }
}

/** Redirects permanently from a former address. Browsers must revalidate it, because a title may be changed back. */
function leadOn(path: string, isFormer: boolean): HttpResponse {
  const response = HttpResponse.redirect(path, { status: isFormer ? 301 : 302 });
  if (isFormer) response.headers.set('Cache-Control', 'no-cache');
  return response;
}

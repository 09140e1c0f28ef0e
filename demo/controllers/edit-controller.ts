import { Get, HttpResponse, NotFoundError, Post, Route } from 'lookback';
import { isGranted } from 'lookback/security';
import type { ArticleText } from '../database/journal.js';
import type { Language } from '../languages.js';
import { languagePath, text } from '../languages.js';
import { EditPage, HistoryPage } from '../pages/edit-pages.js';
import type { Services } from '../services.js';
import type { Context } from '../site.js';
import { findArticle } from './find-article.js';

const shortest = { title: 3, body: 20 } as const;

/** What editors do: every method asks for their role. An article is edited in the language of the page. */
@Route(`${languagePath}/articles/{slug}`)
@isGranted.on('ROLE_EDITOR')
export class EditController {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  @Get('/edit', { name: 'article_edit' })
  async edit(context: Context): Promise<HttpResponse> {
    const { article } = await findArticle(this.#services, context);
    return this.#form(context, article, new Map());
  }

  @Post('/edit', { name: 'article_save' })
  async save(context: Context): Promise<HttpResponse> {
    const { journal, article } = await findArticle(this.#services, context);
    const form = await context.request.form();
    const draft = { title: (form.get('title') ?? '').trim(), body: (form.get('body') ?? '').trim() };
    const problems = new Map<string, string>();
    for (const field of ['title', 'body'] as const)
      if (draft[field].length < shortest[field])
        problems.set(field, text('tooShort', { count: shortest[field] }));
    if (problems.size > 0) return this.#form(context, draft, problems);
    await journal.edit(article, draft);
    context.log.info('An article was edited.', { article: article.id, locale: context.locale });
    return HttpResponse.redirect(context.url('article', { slug: article.slug }), { status: 303 });
  }

  @Get('/history', { name: 'article_history' })
  async history(context: Context): Promise<HttpResponse> {
    const { journal, article } = await findArticle(this.#services, context);
    const versions = await journal.versions(article);
    const { slug, title } = article;
    const { url } = context;
    return this.#services.site.page(context, (reader) => ({
      title: text('historyTitle', { title }),
      pathIn: pathIn(context, 'article_history'),
      content: HistoryPage({ slug, title, versions, reader, url }),
    }));
  }

  @Post('/history/{version<\\d+>}', { name: 'article_revert' })
  async revert(context: Context): Promise<HttpResponse> {
    const { journal, article } = await findArticle(this.#services, context);
    const version = Number(context.params['version']);
    const versions = await journal.versions(article);
    if (!versions.some((one) => one.version === version))
      throw new NotFoundError(`The article has no version ${version} in this language.`);
    await journal.revert(article, version);
    return HttpResponse.redirect(context.url('article_history', { slug: article.slug }), { status: 303 });
  }

  #form(context: Context, draft: ArticleText, problems: ReadonlyMap<string, string>): Promise<HttpResponse> {
    const { slug = '' } = context.params;
    const { url } = context;
    return this.#services.site.page(context, (reader) => ({
      title: text('editTitle', { title: draft.title }),
      status: problems.size > 0 ? 422 : 200,
      pathIn: pathIn(context, 'article_edit'),
      content: EditPage({ slug, title: draft.title, draft, problems, reader, url }),
    }));
  }
}

/** The same page in another language. The address may be this language's: it is understood in all of them. */
function pathIn({ url, params }: Context, name: string): (language: Language) => string {
  return (language) => url(name, { _locale: language, slug: params['slug'] });
}

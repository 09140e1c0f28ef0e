import { Get, HttpResponse, NotFoundError, Post, Route } from 'lookback';
import type { Version } from 'lookback/persistence';
import { isGranted } from 'lookback/security';
import type { ArticleText } from '../database/journal.js';
import type { Language } from '../languages.js';
import { languagePath, text } from '../languages.js';
import { takeText } from '../kept-text.js';
import { leaveNotice } from '../notices.js';
import { ConflictPage } from '../pages/conflict-page.js';
import type { Editing } from '../pages/edit-form.js';
import { EditPage, HistoryPage } from '../pages/edit-pages.js';
import type { Services } from '../services.js';
import type { Context } from '../pages/page.js';
import { findArticle } from './find-article.js';
import { logInFirst } from './login.js';
import { readText } from './read-text.js';

const minLengths = { title: 3, body: 20 } as const;

/**
 * Editor actions. Every method requires the editor role; the one that receives a text keeps it if the session has ended meanwhile. An
 * article is edited in the page's language.
 */
@Route(`${languagePath}/articles/{slug}`)
export class EditController {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  @Get('/edit', { name: 'article_edit' })
  @isGranted.on('ROLE_EDITOR')
  async edit(context: Context): Promise<HttpResponse> {
    const { journal, article } = await findArticle(this.#services, context);
    const { id, slug, title, body } = article;
    const { security } = this.#services;
    const kept = await takeText(
      security,
      context.request,
      ({ page, fields }) =>
        page.startsWith(`/${context.locale}/`) &&
        page.endsWith('/edit') &&
        readNumber(fields['article']) === id,
    );
    if (kept === undefined) {
      const basis = await journal.newestVersion(article);
      return this.#form(context, { id, slug, draft: { title, body }, basis, problems: new Map() });
    }
    await leaveNotice(security, context.request, 'textBack');
    return this.#form(context, { id, slug, ...readDraft((name) => kept.fields[name]), problems: new Map() });
  }

  @Post('/edit', { name: 'article_save' })
  async save(context: Context): Promise<HttpResponse> {
    const page = context.url('article_edit', { slug: context.params['slug'] });
    const login = await logInFirst(context, this.#services, { role: 'ROLE_EDITOR', page });
    if (login !== undefined) return login;
    const form = await context.request.form();
    const { journal, article } = await findArticle(this.#services, context, readNumber(form.get('article')));
    const { id, slug } = article;
    const { draft, basis } = readDraft((name) => form.get(name));
    const editing = { id, slug, draft, basis, problems: problemsOf(draft) };
    if (editing.problems.size > 0) return this.#form(context, editing);
    const newer = await journal.edit(article, draft, editing.basis);
    if (newer !== undefined) return this.#conflict(context, editing, newer);
    context.log.info('An article was edited.', { article: id, locale: context.locale });
    await leaveNotice(this.#services.security, context.request, 'saved');
    return HttpResponse.redirect(context.url('article', { slug: article.slug }), { status: 303 });
  }

  @Get('/history', { name: 'article_history' })
  @isGranted.on('ROLE_EDITOR')
  async history(context: Context): Promise<HttpResponse> {
    const { journal, article } = await findArticle(this.#services, context);
    const versions = await journal.versions(article);
    const { slug, title } = article;
    const { url } = context;
    return this.#services.site.page(context, () => ({
      title: text('historyTitle', { title }),
      pathIn: pathIn(context, 'article_history'),
      content: HistoryPage({ slug, title, versions, url }),
    }));
  }

  @Post('/history/{version<\\d+>}', { name: 'article_revert' })
  @isGranted.on('ROLE_EDITOR')
  async revert(context: Context): Promise<HttpResponse> {
    const { journal, article } = await findArticle(this.#services, context);
    const version = Number(context.params['version']);
    const versions = await journal.versions(article);
    if (!versions.some((one) => one.version === version))
      throw new NotFoundError(`The article has no version ${version} in this language.`);
    await journal.revert(article, version);
    await leaveNotice(this.#services.security, context.request, 'reverted');
    return HttpResponse.redirect(context.url('article_history', { slug: article.slug }), { status: 303 });
  }

  #form(context: Context, editing: Editing): Promise<HttpResponse> {
    const { url } = context;
    const { title } = editing.draft;
    return this.#services.site.page(context, () => ({
      title: text('editTitle', { title }),
      status: editing.problems.size > 0 ? 422 : 200,
      pathIn: pathIn(context, 'article_edit'),
      content: EditPage({ title, editing, url }),
    }));
  }

  /** Someone else has saved meanwhile: nothing was written, and both texts are shown. */
  async #conflict(context: Context, editing: Editing, newest: Version): Promise<HttpResponse> {
    const { database, site } = this.#services;
    const current = await database.journalIn(context.locale).findArticleById(editing.id);
    if (current === null) throw new NotFoundError('The article was removed meanwhile.');
    const { slug, title, body } = current;
    const { url, log } = context;
    if (title === editing.draft.title && body === editing.draft.body)
      return HttpResponse.redirect(url('article', { slug }), { status: 303 });
    log.notice('Two people edited one text.', { article: editing.id, locale: context.locale });
    const next = { ...editing, slug, basis: newest.version };
    return site.page(context, () => ({
      title: text('conflictTitle'),
      status: 409,
      pathIn: (language) => url('article_edit', { _locale: language, slug }),
      content: ConflictPage({ editing: next, current: { title, body }, newest, url }),
    }));
  }
}

function readDraft(field: (name: string) => string | null | undefined): Pick<Editing, 'draft' | 'basis'> {
  const draft = { title: readText(field('title')), body: readText(field('body')) };
  return { draft, basis: readNumber(field('basis')) ?? 0 };
}

function problemsOf(draft: ArticleText): Map<string, string> {
  const problems = new Map<string, string>();
  for (const field of ['title', 'body'] as const)
    if (draft[field].length < minLengths[field])
      problems.set(field, text('tooShort', { count: minLengths[field] }));
  return problems;
}

function readNumber(value: string | null | undefined): number | undefined {
  return /^\d{1,9}$/.test(value ?? '') ? Number(value) : undefined;
}

/**
 * The same page in another language. The address may be in this language, because addresses are recognised in every language.
 */
function pathIn({ url, params }: Context, name: string): (language: Language) => string {
  return (language) => url(name, { _locale: language, slug: params['slug'] });
}

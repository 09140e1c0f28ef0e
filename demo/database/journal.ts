import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/core';
import {
  isTranslated,
  localeOf,
  revertTo,
  showIn,
  translatedWhere,
  translationsOf,
  versionsOf,
} from 'lookback/persistence';
import type { Version } from 'lookback/persistence';
import { Article, Comment } from './article.js';
import { addressOf, findFormerHolder, keepAddress } from './former-addresses.js';
import type { Role } from './user.js';
import { User } from './user.js';

/** An article's title and text in one language. */
export interface ArticleText {
  readonly title: string;
  readonly body: string;
}

/** The journal's queries and changes for one request, in its language. */
export class Journal {
  readonly #em: EntityManager;

  constructor(em: EntityManager) {
    this.#em = em;
  }

  /** All articles, newest first, with their comments. */
  articles(): Promise<Article[]> {
    return this.#em.find(Article, {}, { orderBy: { publishedAt: 'desc' }, populate: ['comments'] });
  }

  /** Whether the title is in the request's language, rather than a fallback. */
  isTranslated(article: Article): boolean {
    return isTranslated(this.#em, article, 'title');
  }

  /** The article at an address in the request's language. */
  findArticle(slug: string): Promise<Article | null> {
    return this.#em.findOne(Article, translatedWhere(this.#em, Article, { slug }), {
      populate: ['comments'],
    });
  }

  /** The article that once had an address that no article has now. */
  async findFormerArticle(slug: string, locale: string): Promise<Article | null> {
    const id = await findFormerHolder(this.#em, slug, locale);
    return id === undefined ? null : this.findArticleById(id);
  }

  findArticleById(id: number): Promise<Article | null> {
    return this.#em.findOne(Article, id, { populate: ['comments'] });
  }

  /** Language → address, for the languages in which the article is written. */
  async addresses(article: Article): Promise<ReadonlyMap<string, string>> {
    const addresses = new Map<string, string>();
    for (const [locale, { slug }] of await translationsOf(this.#em, article))
      addresses.set(locale, slug ?? article.slug);
    return addresses;
  }

  /**
   * Writes a text. If the text in this language has changed since the version `basis`, returns the newer one and changes nothing. Each
   * language is compared separately: a version column on the article would cause needless conflicts.
   */
  edit(article: Article, text: ArticleText, basis: number): Promise<Version | undefined> {
    return this.#em.transactional(async (em) => {
      await em.lock(article, LockMode.PESSIMISTIC_WRITE); // two concurrent saves run one after the other
      const newest = await newestVersion(em, article);
      if (newest !== undefined && newest.version !== basis) return newest;
      await keepAddress(em, article, () => em.assign(article, text));
      return undefined;
    });
  }

  /** Adds an article; the text without a language is in the default language. */
  async publish(
    text: ArticleText,
    publishedAt: Date,
    translations: Readonly<Record<string, ArticleText>>,
  ): Promise<Article> {
    const article = this.#em.create(Article, { ...text, slug: addressOf(text.title), publishedAt });
    await this.#em.flush();
    for (const [locale, translation] of Object.entries(translations)) {
      await showIn(this.#em, article, locale);
      this.#em.assign(article, { ...translation, slug: addressOf(translation.title) });
      await this.#em.flush();
    }
    return article;
  }

  /** The article's versions in the request's language, newest first. */
  versions(article: Article): Promise<Version[]> {
    return versionsOf(this.#em, article, { locale: localeOf(this.#em, article) });
  }

  /** The newest version's number; 0 if there is none yet. */
  async newestVersion(article: Article): Promise<number> {
    return (await newestVersion(this.#em, article))?.version ?? 0;
  }

  /** Restores the article's text as of a version. This creates a version as well. */
  async revert(article: Article, version: number): Promise<void> {
    await this.#em.transactional(async (em) => {
      await em.lock(article, LockMode.PESSIMISTIC_WRITE);
      await keepAddress(em, article, () => revertTo(em, article, version));
    });
  }

  async comment(article: Article, text: string): Promise<Comment> {
    const comment = this.#em.create(Comment, { article, text });
    await this.#em.flush();
    return comment;
  }

  async removeComment(article: Article, id: number): Promise<boolean> {
    const comment = await this.#em.findOne(Comment, { id, article });
    if (comment === null) return false;
    comment.removedAt = new Date();
    await this.#em.flush();
    return true;
  }

  users(): Promise<User[]> {
    return this.#em.find(User, {}, { orderBy: { id: 'asc' } });
  }

  findUser(identifier: string): Promise<User | null> {
    return this.#em.findOne(User, { identifier });
  }

  async addUser(identifier: string, role: Role, passwordHash: string): Promise<void> {
    this.#em.create(User, { identifier, roles: [role], passwordHash });
    await this.#em.flush();
  }

  async saveHash(identifier: string, passwordHash: string): Promise<void> {
    this.#em.assign(await this.#em.findOneOrFail(User, { identifier }), { passwordHash });
    await this.#em.flush();
  }

  async giveRole(user: User, role: Role): Promise<void> {
    user.roles = [role];
    await this.#em.flush();
  }

  /** One query for the articles, and another for each article's comments: an example of what not to do. */
  async countCommentsOneByOne(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const article of await this.#em.find(Article, {}))
      counts.set(article.title, await this.#em.count(Comment, { article }));
    return counts;
  }

  /** A slow query: the database counts to two million. */
  async countSlowly(): Promise<void> {
    await this.#em
      .getConnection()
      .execute(
        'with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 2000000) select count(*) as total from numbers',
      );
  }
}

async function newestVersion(em: EntityManager, article: Article): Promise<Version | undefined> {
  const [newest] = await versionsOf(em, article, { locale: localeOf(em, article), limit: 1 });
  return newest;
}

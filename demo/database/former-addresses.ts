import type { EntityManager } from '@mikro-orm/core';
import { localeOf, translatedWhere, translationsOf } from 'lookback/persistence';
import { Article } from './article.js';
import { FormerAddress, keptAddresses } from './former-address.js';

/** Derives an address from a title: its letters in lower case, without diacritics. */
export function addressOf(title: string): string {
  const plain = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll('œ', 'oe')
    .replace(/['’]/g, '');
  return (
    plain
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join('-') ?? 'untitled'
  );
}

/** Returns the first of `title`, `title-1`, `title-2` … that no other article uses in this language. */
async function freeAddress(em: EntityManager, article: Article): Promise<string> {
  const base = addressOf(article.title);
  for (let number = 0; ; number++) {
    const slug = number === 0 ? base : `${base}-${number}`;
    const others = { $and: [translatedWhere(em, Article, { slug }), { id: { $ne: article.id } }] };
    if ((await em.count(Article, others)) === 0) return slug;
  }
}

/** Changes an article within a transaction, and remembers its old address if the change replaces it. */
export async function keepAddress(em: EntityManager, article: Article, change: () => unknown): Promise<void> {
  const locale = localeOf(em, article);
  // No old address if the article had no text in this language: it used the address of another language, which stays.
  const before = (await translationsOf(em, article)).get(locale)?.['slug'];
  const title = article.title;
  await change();
  if (article.title !== title) article.slug = await freeAddress(em, article);
  await em.flush();
  if (typeof before !== 'string' || before === article.slug) return;
  const known = await em.findOne(FormerAddress, { locale, slug: before });
  const former = known ?? em.create(FormerAddress, { locale, slug: before, article });
  former.article = article; // the last article with the address
  former.leftAt = new Date();
  await em.flush();
  const tooOld = await em.find(
    FormerAddress,
    { locale, article },
    { orderBy: { leftAt: 'desc', id: 'desc' }, offset: keptAddresses, limit: 100 },
  );
  for (const one of tooOld) em.remove(one);
  await em.flush();
}

/** Returns the id of the article that once had this address, in `locale` if possible, otherwise in any language. */
export async function findFormerHolder(
  em: EntityManager,
  slug: string,
  locale: string,
): Promise<number | undefined> {
  const found = await em.find(FormerAddress, { slug });
  return (found.find((one) => one.locale === locale) ?? found[0])?.article.id;
}

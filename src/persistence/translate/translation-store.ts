import type { EntityManager } from '@mikro-orm/core';
import { translationName } from '../store/translation-schema.js';
import type { TranslationRow } from '../store/translation-schema.js';
import type { Texts } from '../unit/translation-state.js';

/** Number of entities per query. */
const idsPerQuery = 500;

/** Reads the translations of entities, in the transaction of `em` if there is one. */
export async function readTranslations(
  em: EntityManager,
  {
    entity,
    objectIds,
    locales,
  }: {
    readonly entity: string;
    readonly objectIds: readonly string[];
    /** Languages to read; default: all. */
    readonly locales?: readonly string[];
  },
): Promise<TranslationRow[]> {
  const rows: TranslationRow[] = [];
  for (let start = 0; start < objectIds.length; start += idsPerQuery) {
    const chunk = objectIds.slice(start, start + idsPerQuery);
    const found = await em
      .getDriver()
      .find<TranslationRow>(
        translationName,
        { entity, objectId: { $in: chunk }, ...(locales && { locale: { $in: [...locales] } }) },
        inTransaction(em),
      );
    rows.push(...(found as TranslationRow[])); // all fields are selected
  }
  return rows;
}

/** Writes the texts of one entity in one language; null removes a translation. */
export async function writeTranslations(
  em: EntityManager,
  place: { readonly entity: string; readonly objectId: string; readonly locale: string },
  texts: Texts,
): Promise<void> {
  const { entity, objectId, locale } = place;
  const removed = [...texts].filter(([, value]) => value === null).map(([field]) => field);
  const kept = [...texts].filter(([, value]) => value !== null);
  if (removed.length > 0) {
    await em
      .getDriver()
      .nativeDelete<TranslationRow>(
        translationName,
        { entity, objectId, locale, field: { $in: removed } },
        inTransaction(em),
      );
  }
  if (kept.length > 0) {
    const keys = kept.map(([field]) => ({ entity, objectId, locale, field }));
    const rows = kept.map(([field, value]) => ({ entity, objectId, locale, field, value }));
    await em
      .getDriver()
      .nativeUpdateMany<TranslationRow>(translationName, keys, rows, { ...inTransaction(em), upsert: true });
  }
}

/** Deletes every translation of an entity. */
export async function deleteTranslations(em: EntityManager, entity: string, objectId: string): Promise<void> {
  await em.getDriver().nativeDelete<TranslationRow>(translationName, { entity, objectId }, inTransaction(em));
}

/** Returns the transaction of `em`, if any, as an option for the driver. */
export function inTransaction(em: EntityManager): {
  ctx?: NonNullable<ReturnType<EntityManager['getTransactionContext']>>;
} {
  const ctx = em.getTransactionContext();
  return ctx === undefined ? {} : { ctx };
}

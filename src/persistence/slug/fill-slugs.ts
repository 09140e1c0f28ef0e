import type { SlugField } from '../plan/entity-plan.js';
import type { EntityWrite, FlushWorks } from '../unit/flush-work.js';
import type { TranslationState } from '../unit/translation-state.js';
import { originalOf, valuesOf, objectIdOf, rowOf, type FieldValues } from '../orm/entity-internals.js';
import { isNumberedFrom, slugify, numberSlug } from './slugify.js';
import type { EntityManager, FilterQuery } from '@mikro-orm/core';
import { translationName, type TranslationRow } from '../store/translation-schema.js';
import { inTransaction } from '../translate/translation-store.js';

interface SlugChange {
  readonly kind: 'create' | 'update';
  readonly changed: ReadonlySet<string>;
  /** Undefined if the entity is not translated. */
  readonly state: TranslationState | undefined;
}

interface SlugTask extends EntityWrite, SlugChange {
  readonly isDefaultLocale: boolean;
}

/**
 * Sets the slugs of an entity for one write. A slug that the application set is kept, with a number if it is taken.
 * Other slugs follow their source fields, in the language of the slug itself.
 */
export async function fillSlugs(write: EntityWrite, change: SlugChange): Promise<void> {
  const { entity, plan, works, work } = write;
  const task = { ...write, ...change, isDefaultLocale: work.locale === works.defaultLocale };
  for (const slug of plan.slugs) {
    const isText = slug.translated && !task.isDefaultLocale && change.kind === 'update';
    const made = await slugFor(slug, task);
    // Texts are written and shown after the row; the row keeps the default language's slug.
    if (made !== undefined && isText) work.texts.set(slug.field, made);
    else if (made !== undefined) valuesOf(entity)[slug.field] = made;
    if (slug.translated) await fillStaged(slug, task);
  }
}

async function slugFor(slug: SlugField, task: SlugTask): Promise<string | undefined> {
  const { entity, work, kind, changed } = task;
  const shown = valuesOf(entity)[slug.field];
  const current = work.texts.get(slug.field) ?? shown;
  const isByHand = kind === 'create' || changed.has(slug.field);
  if (isByHand && typeof current === 'string' && current !== '') return uniqueSlug(current, slug, task);
  if (kind === 'update' && (slug.updatable === false || !sourceChanged(slug, task))) return undefined;
  const base = slugify(sourceText(slug, task), slug);
  if (kind === 'update' && typeof shown === 'string' && isNumberedFrom(shown, base, slug)) return undefined;
  return uniqueSlug(base, slug, task);
}

/** Sets the slugs of languages that are written in addition to the entity's own. */
async function fillStaged(slug: SlugField, task: SlugTask): Promise<void> {
  for (const texts of task.state?.staged.values() ?? []) {
    if (texts.has(slug.field) || !slug.from.some((field) => texts.has(field))) continue;
    const values = valuesOf(task.entity);
    const text = slug.from.map((field) => texts.get(field) ?? textOf(values[field])).join(' ');
    texts.set(slug.field, await uniqueSlug(slugify(text, slug), slug, task));
  }
}

function sourceChanged(slug: SlugField, { changed, work, plan, isDefaultLocale }: SlugTask): boolean {
  return slug.from.some((field) => {
    if (!changed.has(field)) return false;
    // An untranslated slug belongs to the default language: texts of other languages do not change it.
    return slug.translated || isDefaultLocale || !plan.translated.has(field) || !work.texts.has(field);
  });
}

function sourceText(slug: SlugField, { entity, state, isDefaultLocale, kind, plan }: SlugTask): string {
  const isForeign = !slug.translated && !isDefaultLocale && kind === 'update';
  return slug.from
    .map((field) =>
      textOf(
        isForeign && plan.translated.has(field)
          ? (state?.base.get(field) ?? originalOf(entity)?.[field])
          : valuesOf(entity)[field],
      ),
    )
    .filter((text) => text !== '')
    .join(' ');
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Number of candidates to check with one query. */
const candidatesPerQuery = 50;

/**
 * Returns the first of `base`, `base-1`, `base-2` … that no other row has, including removed rows. On PostgreSQL the
 * column is locked until the transaction ends, so that two requests cannot both find the same slug free.
 */
async function uniqueSlug(base: string, slug: SlugField, write: EntityWrite): Promise<string> {
  if (slug.unique === false) return numberSlug(base, 0, slug);
  const { em, works, plan, entity } = write;
  const row = rowOf(em, entity);
  const group = Object.fromEntries((slug.uniqueWithin ?? []).map((field) => [field, row[field] ?? null]));
  const column = `${plan.meta.tableName}.${slug.field}`;
  const pool = `${column} ${JSON.stringify(Object.entries(group))}`;
  await lockColumn(em, works, column);
  const assigned = works.slugs.get(pool) ?? new Set();
  works.slugs.set(pool, assigned);
  // Usually the slug itself is free. Only if it is not, numbered candidates are queried, many at once.
  for (let start = 0, count = 1; ; start += count, count = candidatesPerQuery) {
    const first = start;
    const candidates = Array.from({ length: count }, (_, index) => numberSlug(base, first + index, slug));
    const taken = await takenSlugs(candidates, slug, { ...write, row, group });
    const free = candidates.find((candidate) => !taken.has(candidate) && !assigned.has(candidate));
    if (free === undefined) continue;
    assigned.add(free);
    return free;
  }
}
async function takenSlugs(
  candidates: readonly string[],
  slug: SlugField,
  { em, plan, entity, row, group }: EntityWrite & { readonly row: FieldValues; readonly group: FieldValues },
): Promise<Set<string>> {
  const [key = 'id'] = plan.meta.primaryKeys;
  const isNew = row[key] === undefined || row[key] === null;
  const where = { ...group, [slug.field]: { $in: candidates }, ...(!isNew && { [key]: { $ne: row[key] } }) };
  const filter = where as FilterQuery<FieldValues>; // fields of this entity
  const rows = await em.getDriver().find<FieldValues, never, string>(plan.name, filter, {
    fields: [slug.field] as never[], // a path of this entity
    ...inTransaction(em),
  });
  const taken = new Set(rows.map((found) => String((found as FieldValues)[slug.field]))); // keyed by property name
  if (!slug.translated) return taken;
  const texts = await em.getDriver().find<TranslationRow>(
    translationName,
    {
      entity: plan.name,
      field: slug.field,
      value: { $in: [...candidates] },
      ...(!isNew && { objectId: { $ne: objectIdOf(entity) } }),
    },
    inTransaction(em),
  );
  for (const { value } of texts) taken.add(String(value));
  return taken;
}

async function lockColumn(em: EntityManager, works: FlushWorks, column: string): Promise<void> {
  const lock = `lock ${column}`;
  const ctx = em.getTransactionContext();
  if (works.slugs.has(lock) || ctx === undefined || !em.getDriver().constructor.name.startsWith('Postgre'))
    return;
  works.slugs.set(lock, new Set());
  await em
    .getConnection('write')
    .execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [column], 'all', ctx);
}

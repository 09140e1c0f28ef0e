import type { EntityPlan, SlugField } from '../plan/entity-plan.js';
import type { FlushWork, FlushWorks } from '../unit/flush-work.js';
import type { TranslationState } from '../unit/translation-state.js';
import { originalOf, valuesOf, objectIdOf, rowOf, type FieldValues } from '../orm/entity-internals.js';
import { isNumberedFrom, slugify, numberSlug } from './slugify.js';
import type { EntityManager, FilterQuery } from '@mikro-orm/core';
import { translationName, type TranslationRow } from '../store/translation-schema.js';
import { inTransaction } from '../translate/translation-store.js';

interface SlugWrite {
  readonly kind: 'create' | 'update';
  readonly changed: ReadonlySet<string>;
  readonly work: FlushWork;
  /** Absent where the entity is not translated. */
  readonly state: TranslationState | undefined;
  readonly isDefaultLocale: boolean;
}

interface SlugTask {
  readonly write: SlugWrite;
  readonly place: SlugPlace;
}

/**
 * Fills the slugs of an entity for one write. A slug set by hand is kept (and numbered where it is taken); others
 * follow their fields, those of the language that the slug itself has.
 */
export async function fillSlugs(entity: object, write: SlugWrite, place: SlugPlace): Promise<void> {
  for (const slug of place.plan.slugs) {
    const isText = slug.translated && !write.isDefaultLocale && write.kind === 'update';
    const made = await slugFor(entity, slug, { write, place });
    if (made !== undefined && isText) {
      // Texts are written and shown after the row; the row keeps the default language's slug.
      write.work.texts.set(slug.field, made);
    } else if (made !== undefined) valuesOf(entity)[slug.field] = made;
    if (slug.translated) await fillStaged(entity, slug, { write, place });
  }
}

async function slugFor(
  entity: object,
  slug: SlugField,
  { write, place }: SlugTask,
): Promise<string | undefined> {
  const current = write.work.texts.get(slug.field) ?? valuesOf(entity)[slug.field];
  const byHand =
    typeof current === 'string' &&
    current !== '' &&
    (write.kind === 'create' || write.changed.has(slug.field));
  if (byHand) return uniqueSlug(current, slug, { ...place, entity });
  if (write.kind === 'update' && (slug.updatable === false || !sourceChanged(slug, write, place.plan)))
    return undefined;
  const base = slugify(sourceText(entity, slug, { ...write, plan: place.plan }), slug);
  const shown = valuesOf(entity)[slug.field];
  if (write.kind === 'update' && typeof shown === 'string' && isNumberedFrom(shown, base, slug))
    return undefined;
  return uniqueSlug(base, slug, { ...place, entity });
}

/** Slugs of languages that were written beside the entity's own. */
async function fillStaged(entity: object, slug: SlugField, { write, place }: SlugTask): Promise<void> {
  for (const texts of write.state?.staged.values() ?? []) {
    if (texts.has(slug.field) || !slug.from.some((field) => texts.has(field))) continue;
    const text = slug.from.map((field) => texts.get(field) ?? textOf(valuesOf(entity)[field])).join(' ');
    texts.set(slug.field, await uniqueSlug(slugify(text, slug), slug, { ...place, entity }));
  }
}

function sourceChanged(
  slug: SlugField,
  { changed, work, isDefaultLocale }: SlugWrite,
  plan: EntityPlan,
): boolean {
  return slug.from.some((field) => {
    if (!changed.has(field)) return false;
    // An untranslated slug belongs to the default language: texts of others do not move it.
    return slug.translated || isDefaultLocale || !plan.translated.has(field) || !work.texts.has(field);
  });
}

function sourceText(
  entity: object,
  slug: SlugField,
  { state, isDefaultLocale, kind, plan }: SlugWrite & { readonly plan: EntityPlan },
): string {
  return slug.from
    .map((field) => {
      const isForeign =
        plan.translated.has(field) && !slug.translated && !isDefaultLocale && kind === 'update';
      return textOf(
        isForeign ? (state?.base.get(field) ?? originalOf(entity)?.[field]) : valuesOf(entity)[field],
      );
    })
    .filter((text) => text !== '')
    .join(' ');
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Numbers tried with one query. */
const candidatesPerQuery = 50;

interface SlugPlace {
  readonly em: EntityManager;
  readonly works: FlushWorks;
  readonly plan: EntityPlan;
}

/**
 * The first of `base`, `base-1`, `base-2` … that no other row has, removed ones included. On PostgreSQL the column is
 * locked until the transaction ends, so that two requests cannot both find the same slug free.
 */
async function uniqueSlug(
  base: string,
  slug: SlugField,
  place: SlugPlace & { readonly entity: object },
): Promise<string> {
  if (slug.unique === false) return numberSlug(base, 0, slug);
  const { em, works, plan, entity } = place;
  const row = rowOf(em, entity);
  const group = (slug.uniqueWithin ?? []).map((field) => [field, row[field] ?? null] as const);
  const column = `${plan.meta.tableName}.${slug.field}`;
  const pool = `${column} ${JSON.stringify(group)}`;
  await lockColumn(em, works, column);
  const given = works.slugs.get(pool) ?? new Set();
  works.slugs.set(pool, given);
  // Mostly the slug itself is free; only if it is not, its numbers are queried, many at once.
  for (let start = 0, count = 1; ; start += count, count = candidatesPerQuery) {
    const first = start;
    const candidates = Array.from({ length: count }, (_, index) => numberSlug(base, first + index, slug));
    const taken = await takenSlugs(candidates, slug, { ...place, group, ownKey: keyOf(plan, row) });
    const free = candidates.find((candidate) => !taken.has(candidate) && !given.has(candidate));
    if (free === undefined) continue;
    given.add(free);
    return free;
  }
}

async function takenSlugs(
  candidates: readonly string[],
  slug: SlugField,
  place: SlugPlace & {
    readonly group: readonly (readonly [string, unknown])[];
    readonly ownKey: unknown;
    readonly entity: object;
  },
): Promise<Set<string>> {
  const { em, plan, group, ownKey, entity } = place;
  const [key = 'id'] = plan.meta.primaryKeys;
  const where = {
    ...Object.fromEntries(group),
    [slug.field]: { $in: candidates },
    ...(ownKey !== undefined && { [key]: { $ne: ownKey } }),
  };
  const filter = where as FilterQuery<FieldValues>; // fields of this entity
  const rows = await em.getDriver().find<FieldValues, never, string>(plan.name, filter, {
    fields: [slug.field] as never[], // a path of this entity
    ...inTransaction(em),
  });
  const taken = new Set(rows.map((row) => String((row as FieldValues)[slug.field]))); // keyed by property name
  if (!slug.translated) return taken;
  const texts = await em.getDriver().find<TranslationRow>(
    translationName,
    {
      entity: plan.name,
      field: slug.field,
      value: { $in: [...candidates] },
      ...(ownKey !== undefined && { objectId: { $ne: objectIdOf(entity) } }),
    },
    inTransaction(em),
  );
  for (const { value } of texts) taken.add(String(value));
  return taken;
}

function keyOf(plan: EntityPlan, row: FieldValues): unknown {
  return row[plan.meta.primaryKeys[0] ?? ''] ?? undefined;
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

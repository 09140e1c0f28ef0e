import type { EntityManager, FilterQuery } from '@mikro-orm/core';
import type { FlushWorks } from '../unit/flush-work.js';
import type { EntityPlan, SlugField } from '../plan/entity-plan.js';
import { translationName } from '../store/translation-schema.js';
import type { TranslationRow } from '../store/translation-schema.js';
import { inTransaction } from '../translate/translation-store.js';
import { objectIdOf, rowOf } from '../orm/entity-internals.js';
import type { FieldValues } from '../orm/entity-internals.js';
import { numberSlug } from './slugify.js';

/** Numbers tried with one query. */
const candidatesPerQuery = 50;

export interface SlugPlace {
  readonly em: EntityManager;
  readonly works: FlushWorks;
  readonly plan: EntityPlan;
}

/**
 * The first of `base`, `base-1`, `base-2` … that no other row has, removed ones included. On PostgreSQL the column is
 * locked until the transaction ends, so that two requests cannot both find the same slug free.
 */
export async function uniqueSlug(
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

import type { EntityManager } from '@mikro-orm/core';
import type { EntityWrite, FlushWork, FlushWorks } from '../unit/flush-work.js';
import type { EntityPlan } from '../plan/entity-plan.js';
import { type FieldValues, objectIdOf, rowOf } from '../orm/entity-internals.js';
import { versionName, type VersionRow } from '../store/version-schema.js';
import { inTransaction } from '../translate/translation-store.js';
import { actorOf } from '../unit/actor.js';

/**
 * Adds a version for a write, and one for each further language that was written with it. `payload` contains the values
 * that an update wrote to the row.
 */
export async function recordVersions(
  { em, entity, plan, works, work }: EntityWrite,
  action: VersionEntry['action'],
  payload?: FieldValues,
): Promise<void> {
  const { versioned } = plan;
  if (versioned === undefined) return;
  const objectId = objectIdOf(entity);
  const locale = plan.translated.size > 0 ? work.locale : null;
  const source = payload === undefined ? rowOf(em, entity) : changesOf(payload, works, work);
  const data = keep(source, versioned);
  const hasData = Object.keys(data).length > 0;
  if (hasData || action === 'remove') {
    await writeVersion(em, plan, { action, objectId, locale, data: hasData ? data : null });
  }
  for (const [stagedLocale, texts] of work.staged) {
    const staged = keep(Object.fromEntries(texts), versioned);
    if (Object.keys(staged).length > 0) {
      await writeVersion(em, plan, { action: 'update', objectId, locale: stagedLocale, data: staged });
    }
  }
}

function keep(row: FieldValues, fields: ReadonlySet<string>): FieldValues {
  return Object.fromEntries(
    Object.entries(row).filter(([field, value]) => fields.has(field) && value !== undefined),
  );
}

/** Returns the changes in the entity's language. Staged texts of the default language get their own version. */
function changesOf(payload: FieldValues, { defaultLocale }: FlushWorks, work: FlushWork): FieldValues {
  const staged = work.staged.get(defaultLocale);
  const own = Object.entries(payload).filter(([field]) => staged?.has(field) !== true);
  return { ...Object.fromEntries(own), ...Object.fromEntries(work.texts) };
}

/** One write, as it is stored in the table of versions. */
interface VersionEntry {
  readonly action: 'create' | 'update' | 'remove';
  readonly objectId: string;
  readonly locale: string | null;
  /** Changed fields in the database's own types; null for a removal that changed nothing else. */
  readonly data: FieldValues | null;
}

/**
 * Adds a version. The write that just happened in the same transaction has locked the row of the entity, so no other
 * transaction can take the next number.
 */
export async function writeVersion(em: EntityManager, plan: EntityPlan, entry: VersionEntry): Promise<void> {
  const actor = actorOf(em);
  const place = { entity: plan.name, objectId: entry.objectId };
  const [last] = await em.getDriver().find<VersionRow, never, 'version'>(versionName, place, {
    fields: ['version'],
    orderBy: { version: 'desc' },
    limit: 1,
    ...inTransaction(em),
  });
  await em.getDriver().nativeInsert<VersionRow>(
    versionName,
    {
      ...place,
      version: Number(last?.version ?? 0) + 1,
      action: entry.action,
      locale: entry.locale,
      user: actor.user?.()?.identifier ?? null,
      at: actor.now?.() ?? new Date(),
      data: entry.data,
    },
    { ...inTransaction(em), convertCustomTypes: true },
  );
}

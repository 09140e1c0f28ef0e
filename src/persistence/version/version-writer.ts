import type { EntityManager } from '@mikro-orm/core';
import type { EntityPlan } from '../plan/entity-plan.js';
import { versionName } from '../store/version-schema.js';
import type { VersionRow } from '../store/version-schema.js';
import { inTransaction } from '../translate/translation-store.js';
import { actorOf } from '../unit/actor.js';

/** One write as it goes into the table of versions. */
export interface VersionEntry {
  readonly action: 'create' | 'update' | 'remove';
  readonly objectId: string;
  readonly locale: string | null;
  /** Changed fields in the database's own types; null for a removal that changed nothing else. */
  readonly data: Readonly<Record<string, unknown>> | null;
}

/**
 * Adds a version. The row of the entity is locked by the write that just happened in the same transaction, so the
 * next number cannot be taken by another.
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

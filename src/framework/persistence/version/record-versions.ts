import type { EntitySchema, EntityManager } from '@mikro-orm/core';
import { type FieldValues, mikroOrm, objectIdOf, rowOf } from '../orm/mikro-orm.js';
import { asOwnStatement } from '../trace/trace-queries.js';
import { inTransaction } from '../translate/translation-store.js';
import type { EntityPlan } from '../plan/compile-plan.js';
import { actorOf } from '../unit/actor.js';
import type { EntityWrite } from '../unit/translation-state.js';

export interface VersionRow {
  id: number;
  entity: string;
  objectId: string;
  version: number;
  action: 'create' | 'update' | 'remove';
  /** Language of the translated fields in `data`. */
  locale: string | null;
  user: string | null;
  at: Date;
  /** Changed fields in the database's own types; null for a removal. */
  data: unknown;
}

export const versionName = 'StoredVersion';

export function createVersionSchema(): EntitySchema<VersionRow> {
  return new mikroOrm.EntitySchema<VersionRow>({
    name: versionName,
    tableName: 'ext_versions',
    uniques: [{ properties: ['entity', 'objectId', 'version'] }],
    properties: {
      id: { type: 'integer', primary: true, autoincrement: true },
      entity: { type: 'string', length: 150 },
      objectId: { type: 'string', length: 150 },
      version: { type: 'integer' },
      action: { type: 'string', length: 10 },
      locale: { type: 'string', length: 35, nullable: true },
      user: { type: 'string', fieldName: 'username', length: 255, nullable: true },
      at: { type: 'datetime', fieldName: 'logged_at', length: 6 },
      data: { type: 'json', nullable: true },
    },
  });
}

/** Adds a version for a write. `payload` has the row values that an update wrote. */
export async function recordVersions(
  { em, entity, plan, state }: EntityWrite,
  action: 'create' | 'update',
  payload?: FieldValues,
): Promise<void> {
  const { versioned } = plan;
  if (versioned === undefined) return;
  const objectId = objectIdOf(entity);
  const locale = state?.locale ?? null;
  const source =
    payload === undefined ? rowOf(em, entity) : { ...payload, ...Object.fromEntries(state?.texts ?? []) };
  const data = Object.fromEntries(
    Object.entries(source).filter(([field, value]) => versioned.has(field) && value !== undefined),
  );
  if (Object.keys(data).length > 0) await writeVersion(em, plan, { action, objectId, locale, data });
}

/** Adds a version. The preceding write has locked the row, so no other transaction can take the next number. */
export async function writeVersion(
  em: EntityManager,
  plan: EntityPlan,
  entry: Pick<VersionRow, 'action' | 'objectId' | 'locale' | 'data'>,
): Promise<void> {
  const actor = actorOf(em);
  const location = { entity: plan.name, objectId: entry.objectId };
  const [last] = await em.getDriver().find<VersionRow, never, 'version'>(versionName, location, {
    fields: ['version'],
    orderBy: { version: 'desc' },
    limit: 1,
    ...inTransaction(em),
    ...asOwnStatement,
  });
  await em.getDriver().nativeInsert<VersionRow>(
    versionName,
    {
      entity: plan.name,
      ...entry,
      version: Number(last?.version ?? 0) + 1,
      user: actor.user?.()?.identifier ?? null,
      at: actor.now?.() ?? new Date(),
    },
    { ...inTransaction(em), ...asOwnStatement, convertCustomTypes: true },
  );
}

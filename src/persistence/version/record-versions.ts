import type { EntitySchema, EntityManager } from '@mikro-orm/core';
import { type FieldValues, mikroOrm, objectIdOf, rowOf } from '../orm/mikro-orm.js';
import { inTransaction } from '../translate/translation-store.js';
import type { EntityPlan } from '../plan/compile-plan.js';
import { actorOf } from '../unit/actor.js';
import type { EntityWrite } from '../unit/translation-state.js';

/** One write to one entity. */
export interface VersionRow {
  id: number;
  entity: string;
  objectId: string;
  version: number;
  action: string;
  /** Language of the translated fields in `data`. */
  locale: string | null;
  user: string | null;
  at: Date;
  data: unknown;
}

export const versionName = 'StoredVersion';

/** Creates the schema of the table of versions. */
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

/**
 * Adds a version for a write. `payload` contains the values that an update wrote to the row.
 */
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
  const data = keep(source, versioned);
  if (Object.keys(data).length > 0) await writeVersion(em, plan, { action, objectId, locale, data });
}

function keep(row: FieldValues, fields: ReadonlySet<string>): FieldValues {
  return Object.fromEntries(
    Object.entries(row).filter(([field, value]) => fields.has(field) && value !== undefined),
  );
}

/** One write, as it is stored in the table of versions. */
interface VersionEntry {
  readonly action: 'create' | 'update' | 'remove';
  readonly objectId: string;
  readonly locale: string | null;
  /** Changed fields in the database's own types; null for a removal. */
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

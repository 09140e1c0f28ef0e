import { checkOptions, number, type OptionsSchema, optionsSchema, text, whole } from '#core/options';
import type { EntityManager } from '@mikro-orm/core';
import { getBehaviours } from '../hooks/behaviour-subscriber.js';
import { entityValues, objectIdOf } from '../orm/mikro-orm.js';
import { localeOf } from './translations.js';
import { inTransaction } from '../translate/translation-store.js';
import { persistenceErrors } from '../orm/error-codes.js';
import type { EntityPlan } from '../plan/compile-plan.js';
import { versionName, type VersionRow } from '../version/record-versions.js';

/** One stored write to an entity. */
export interface Version {
  /** Counted from 1 for each entity. */
  readonly version: number;
  readonly action: 'create' | 'update' | 'remove';
  /** Language of the translated fields among the changes; undefined if the entity has none. */
  readonly locale: string | undefined;
  /** The acting user's identifier. */
  readonly user: string | undefined;
  readonly at: Date;
  /** Written values by field, as plain data: dates as ISO text, relations as keys. Usually empty for a removal. */
  readonly changes: Readonly<Record<string, unknown>>;
}

export interface VersionsOptions {
  /** Default 100. */
  readonly limit?: number;
  /** Only versions with a lower number. */
  readonly before?: number;
  /** Only versions written in this language. */
  readonly locale?: string;
}

export const versionsSchema: OptionsSchema<VersionsOptions> = optionsSchema<VersionsOptions>({
  limit: whole({ min: 0 }),
  before: number(),
  locale: text,
});

/**
 * Returns an entity's versions, newest first: at most `limit` (default 100); with `before`, only older ones; with
 * `locale`, only those written in that language.
 */
export async function versionsOf(
  em: EntityManager,
  entity: object,
  options: VersionsOptions = {},
): Promise<Version[]> {
  checkOptions('versionsOf()', options, versionsSchema);
  const plan = loggablePlan(em, entity);
  const { limit = 100, before, locale } = options;
  const where = {
    entity: plan.name,
    objectId: objectIdOf(entity),
    ...(before !== undefined && { version: { $lt: before } }),
    ...(locale !== undefined && { locale: getBehaviours(em).states.canonical(locale) }),
  };
  const rows = await em.getDriver().find<VersionRow>(versionName, where, {
    orderBy: { version: 'desc' },
    limit,
    ...inTransaction(em),
  });
  return rows.map((row) => versionOf(row as VersionRow)); // all fields are selected
}

/**
 * Restores the values that an entity had after `version`, in the language in which it is shown. Nothing is written
 * until the next flush, which stores the revert as a version. Throws `PERSISTENCE_NO_VERSION` if the version does not
 * exist or is a removal.
 */
export async function revertTo(em: EntityManager, entity: object, version: number): Promise<void> {
  const plan = loggablePlan(em, entity);
  const locale = localeOf(em, entity);
  const found = new Map<string, unknown>();
  let before = version + 1;
  let exists = false;
  for (;;) {
    const page = await versionsOf(em, entity, { before });
    for (const one of page) {
      exists ||= one.version === version && one.action !== 'remove';
      collect(one, plan, { locale, found });
    }
    const last = page.at(-1);
    if (last === undefined || !exists || found.size === plan.versioned?.size) break;
    before = last.version;
  }
  if (!exists) {
    const id = objectIdOf(entity);
    throw persistenceErrors.create('PERSISTENCE_NO_VERSION', { entity: plan.name, id, version });
  }
  const row = Object.fromEntries([...found].filter(([field]) => !plan.translated.has(field)));
  em.getHydrator().hydrate(entity, plan.meta, row, em.getEntityFactory(), 'full', false, true);
  for (const [field, value] of found) {
    if (plan.translated.has(field)) entityValues(entity)[field] = value;
  }
}

/** Collects a version's fields that no newer version had, in the right language. */
function collect(
  version: Version,
  plan: EntityPlan,
  { locale, found }: { locale: string; found: Map<string, unknown> },
): void {
  for (const [field, value] of Object.entries(version.changes)) {
    const isForeign = plan.translated.has(field) && version.locale !== locale;
    if (!isForeign && !found.has(field) && Object.hasOwn(plan.meta.properties, field))
      found.set(field, value);
  }
}

function versionOf(row: VersionRow): Version {
  const data: unknown = typeof row.data === 'string' ? JSON.parse(row.data) : row.data;
  return {
    version: Number(row.version),
    action: row.action,
    locale: row.locale ?? undefined,
    user: row.user ?? undefined,
    at: new Date(row.at),
    changes: typeof data === 'object' && data !== null ? { ...data } : {},
  };
}

function loggablePlan(em: EntityManager, entity: object): EntityPlan {
  const plan = getBehaviours(em).plans.get(entity.constructor.name);
  if (plan?.versioned !== undefined) return plan;
  throw persistenceErrors.create('PERSISTENCE_NOT_DECLARED', {
    entity: entity.constructor.name,
    behaviour: 'loggable',
  });
}

import type { EntityManager } from '@mikro-orm/core';
import type { FlushWork } from '../unit/flush-work.js';
import type { EntityPlan } from '../plan/entity-plan.js';
import { objectIdOf, rowOf } from '../orm/entity-internals.js';
import { writeVersion } from './version-writer.js';

interface RecordedWrite {
  readonly action: 'create' | 'update' | 'remove';
  readonly entity: object;
  readonly work: FlushWork;
  /** What the update wrote into the row. */
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** Adds a version for a write, and one for each further language that was written with it. */
export async function recordVersions(
  em: EntityManager,
  plan: EntityPlan,
  write: RecordedWrite,
): Promise<void> {
  const { versioned } = plan;
  if (versioned === undefined) return;
  const { action, entity, work, payload } = write;
  const objectId = objectIdOf(entity);
  const locale = plan.translated.size > 0 ? work.locale : null;
  const source = payload === undefined ? rowOf(em, entity) : changesOf(payload, plan, work);
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

function keep(row: Readonly<Record<string, unknown>>, fields: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).filter(([field, value]) => fields.has(field) && value !== undefined),
  );
}

/** The entity's own changes: texts of the default language that were written beside another come under their own. */
function changesOf(
  payload: Readonly<Record<string, unknown>>,
  plan: EntityPlan,
  work: FlushWork,
): Record<string, unknown> {
  const beside =
    work.staged.size === 0
      ? []
      : [...plan.translated].filter((field) => [...work.staged.values()].some((texts) => texts.has(field)));
  const own = Object.entries(payload).filter(([field]) => !beside.includes(field));
  return { ...Object.fromEntries(own), ...Object.fromEntries(work.texts) };
}

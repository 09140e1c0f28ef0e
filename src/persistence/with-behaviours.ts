import type { EntitySchema, EventSubscriber, MetadataStorage, Options } from '@mikro-orm/core';
import { behavioursOf } from './declare/define-behaviours.js';
import { BehaviourSubscriber } from './hooks/behaviour-subscriber.js';
import type { BypassPolicy } from './hooks/bypasses.js';
import { addSoftDeleteFilter } from './hooks/soft-delete.js';
import { compilePlan } from './plan/compile-plan.js';
import type { EntityPlan } from './plan/entity-plan.js';
import { createTranslationSchema } from './store/translation-schema.js';
import { createVersionSchema } from './store/version-schema.js';
import { TraceSubscriber } from './trace/trace-subscriber.js';
import { createTranslatingHydrator } from './translate/translating-hydrator.js';
import { Locales } from './unit/locales.js';

export interface BehaviourOptions {
  /** Language of the texts in the entities' own rows. Default `en`. */
  readonly defaultLocale?: string;
  /** Table of the translations. Default `ext_translations`. */
  readonly translationTable?: string;
  /** Table of the versions. Default `ext_versions`. */
  readonly versionTable?: string;
  /**
   * What happens if `nativeUpdate`, `nativeDelete`, `insert`, `upsert` or a writing query builder bypasses the
   * behaviours of an entity: a warning, once for each call and entity (default), an error, or nothing. Applies only to
   * entity managers of requests and actors.
   */
  readonly bypass?: BypassPolicy;
}

/**
 * Returns the options of an ORM with behaviours: `MikroORM.init(withBehaviours({ driver, dbName, entities }))`. Adds
 * two tables, subscribers and a hydrator.
 */
export function withBehaviours<Given extends Options>(orm: Given, options: BehaviourOptions = {}): Given {
  const {
    defaultLocale = 'en',
    translationTable = 'ext_translations',
    versionTable = 'ext_versions',
    bypass,
  } = options;
  const plans = new Map<string, EntityPlan>();
  const subscriber = new BehaviourSubscriber(plans, new Locales(defaultLocale), bypass);
  const stores: EntitySchema[] = [
    createTranslationSchema(translationTable),
    createVersionSchema(versionTable),
  ];
  const added: EventSubscriber[] = [subscriber, new TraceSubscriber()];
  return {
    ...orm,
    entities: [...(orm.entities ?? []), ...stores],
    subscribers: [...(orm.subscribers ?? []), ...added],
    hydrator: createTranslatingHydrator(orm.hydrator, subscriber.states),
    discovery: {
      ...orm.discovery,
      afterDiscovered: (storage: MetadataStorage, platform) => {
        planAll(storage, plans);
        return orm.discovery?.afterDiscovered?.(storage, platform);
      },
    },
  };
}

function planAll(storage: MetadataStorage, plans: Map<string, EntityPlan>): void {
  for (const meta of Object.values(storage.getAll())) {
    const behaviours = behavioursOf(meta.class);
    if (behaviours === undefined || meta.abstract) continue;
    const plan = compilePlan(meta, behaviours);
    plans.set(meta.className, plan);
    addSoftDeleteFilter(plan);
  }
}

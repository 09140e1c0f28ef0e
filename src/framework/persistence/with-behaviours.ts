import type { MetadataStorage, Options } from '@mikro-orm/core';
import { anObject, checkOptions, checkValue, optionsSchema, type OptionsSchema, text } from '#core/options';
import { allMetadata } from './orm/mikro-orm.js';
import { behavioursOf } from './declare/define-behaviours.js';
import { BehaviourSubscriber } from './hooks/behaviour-subscriber.js';
import { TraceSubscriber } from './trace/trace-queries.js';
import {
  createTranslatingHydrator,
  createTranslationSchema,
  translationName,
} from './translate/translation-store.js';
import { TranslationStates } from './unit/translation-state.js';
import { compilePlan, type EntityPlan } from './plan/compile-plan.js';
import { createVersionSchema, versionName } from './version/record-versions.js';

export interface BehaviourOptions {
  /** Language for texts in the entities' own rows. Default `en`. */
  readonly defaultLocale?: string;
}

export const withBehavioursSchema: OptionsSchema<BehaviourOptions> = optionsSchema<BehaviourOptions>({
  defaultLocale: text,
});

/** Default table of `createPostgresExpiringStore` and `createSqliteExpiringStore`: no entity's, so a migration would drop it. */
const storeTable = 'lookback_expiring';

/**
 * Returns ORM options with behaviours: `MikroORM.init(withBehaviours({ driver, dbName, entities }))`. Adds subscribers,
 * a hydrator, and the tables that the entities' behaviours use. Migrations leave the table of sessions alone.
 */
export function withBehaviours<Given extends Partial<Options>>(
  orm: Given,
  options: BehaviourOptions = {},
): Given {
  checkValue('withBehaviours()', 'orm', orm, anObject('the options of MikroORM.init()'));
  checkOptions('withBehaviours()', options, withBehavioursSchema);
  const plans = new Map<string, EntityPlan>();
  const subscriber = new BehaviourSubscriber(plans, new TranslationStates(options.defaultLocale ?? 'en'));
  return {
    ...orm,
    entities: [...(orm.entities ?? []), createTranslationSchema(), createVersionSchema()],
    subscribers: [...(orm.subscribers ?? []), subscriber, new TraceSubscriber()],
    hydrator: createTranslatingHydrator(orm.hydrator, subscriber.states),
    schemaGenerator: {
      ...orm.schemaGenerator,
      skipTables: [...(orm.schemaGenerator?.skipTables ?? []), storeTable],
    },
    discovery: {
      ...orm.discovery,
      afterDiscovered: (storage: MetadataStorage, platform) => {
        for (const meta of allMetadata(storage)) {
          const behaviours = behavioursOf(meta.class);
          if (behaviours !== undefined && !meta.abstract)
            plans.set(meta.className, compilePlan(meta, behaviours));
        }
        // Unused tables are not created.
        const used = [...plans.values()];
        if (!used.some(({ translated }) => translated.size > 0)) storage.reset(translationName);
        if (!used.some(({ versioned }) => versioned !== undefined)) storage.reset(versionName);
        return orm.discovery?.afterDiscovered?.(storage, platform);
      },
    },
  };
}

/**
 * Entities with translations, timestamps, authors and versions, based on MikroORM. Loading it is slow, so no other
 * entry file imports this one.
 */
export { defineBehaviours, type TranslatableOptions } from './persistence/declare/define-behaviours.js';
export type { ActorUser, Behaviours, LoggableOptions } from './persistence/declare/define-behaviours.js';
export type { TrackRule, TrackRules } from './persistence/declare/define-behaviours.js';
export { withBehaviours, type BehaviourOptions } from './persistence/with-behaviours.js';
export { forkFor } from './persistence/request-unit.js';
export type { Actor } from './persistence/unit/actor.js';
export { isTranslated, localeOf, showIn } from './persistence/query/translations.js';
export { translationsOf, translatedOrder, translatedWhere } from './persistence/query/translations.js';
export { revertTo, versionsOf, type Version } from './persistence/query/versions.js';
export { createPersistence } from './persistence/create-persistence.js';
export type { Persistence, PersistenceOptions } from './persistence/create-persistence.js';
export { persistenceChannels, traceQueries } from './persistence/trace/trace-queries.js';
export type {
  ChangeMessage,
  ExplainMessage,
  FlushMessage,
  QueryMessage,
  TransactionMessage,
} from './persistence/trace/trace-queries.js';

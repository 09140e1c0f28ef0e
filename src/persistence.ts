/**
 * Entities with translations, timestamps, authors, versions and slugs, on MikroORM; one unit of work per request. Loads
 * MikroORM, which is slow: nothing else in the package imports this door.
 */
export { defineBehaviours } from './persistence/declare/define-behaviours.js';
export type {
  ActorUser,
  Behaviours,
  LoggableOptions,
  SlugOptions,
  SoftDeleteableOptions,
  TrackRule,
  TrackRules,
  TranslatableOptions,
} from './persistence/declare/behaviours.js';
export {
  blameable,
  ipTraceable,
  sluggable,
  softDeleteable,
  timestampable,
  translatable,
  versioned,
} from './persistence/declare/decorators.js';
export type { FieldDecorator } from './persistence/declare/decorators.js';
export { withBehaviours } from './persistence/with-behaviours.js';
export type { BehaviourOptions } from './persistence/with-behaviours.js';
export { forkFor } from './persistence/fork-for.js';
export type { Actor } from './persistence/unit/actor.js';
export {
  isTranslated,
  localeOf,
  setTranslations,
  showIn,
  translationsOf,
} from './persistence/query/translations.js';
export type { TranslationTexts } from './persistence/query/translations.js';
export { translatedOrder, translatedWhere } from './persistence/query/translated-query.js';
export { revertTo, versionsOf } from './persistence/query/versions.js';
export type { Version } from './persistence/query/versions.js';
export { createPersistence } from './persistence/create-persistence.js';
export type { Persistence, PersistenceOptions } from './persistence/create-persistence.js';
export type { SeederClass } from './persistence/commands/database-commands.js';
export type {
  EntityUserProvider,
  PersistentUser,
  UserProviderOptions,
} from './persistence/unit/user-provider.js';
export { traceQueries } from './persistence/trace/trace-queries.js';
export { persistenceChannels } from './persistence/trace/channels.js';
export type {
  CallSite,
  ChangeMessage,
  ExplainMessage,
  FlushMessage,
  QueryMessage,
  TransactionMessage,
} from './persistence/trace/channels.js';

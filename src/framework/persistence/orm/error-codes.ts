import { defineErrorCodes, type ErrorCodes, type CodedError } from '#core/coded-error';
import type { Logger } from '#core/log';

const table = {
  PERSISTENCE_UNKNOWN_FIELD: {
    message: '{behaviour} of {entity} refers to the field "{field}", which the entity does not have.',
    fix: 'Declare "{field}" as a property of {entity}, or correct the name.',
  },
  PERSISTENCE_FIELD_NOT_TEXT: {
    message: '{behaviour} of {entity} requires a text field, but "{field}" is {kind}.',
    fix: 'Change the type of "{field}" to string or text, or remove it from {behaviour}.',
  },
  PERSISTENCE_COMPOSITE_KEY: {
    message: '{behaviour} requires an entity with a single primary key, but {entity} has {count}.',
    fix: 'Give {entity} a single primary key, and put a unique index on the columns of its current key.',
  },
  PERSISTENCE_RELATION_NEEDS_VALUE: {
    message: '{behaviour} of {entity} sets the relation "{field}", but its rule has no value.',
    fix: 'Add `value: (fact, em) => em.getReference(Target, …)` to the "{field}" rule.',
  },
  PERSISTENCE_NOT_ENABLED: {
    message: 'The entity manager was created without behaviours.',
    fix: 'Wrap the options passed to MikroORM.init() in withBehaviours().',
  },
  PERSISTENCE_NOT_DECLARED: {
    message: '{entity} is not declared as {behaviour}.',
    fix: 'Declare {behaviour} for {entity} in defineBehaviours().',
  },
  PERSISTENCE_BAD_LOCALE: {
    message: '"{locale}" is not a language tag.',
    fix: 'Use a BCP 47 tag such as "en" or "fr-CA".',
  },
  PERSISTENCE_UNSAVED_TRANSLATION: {
    message: '{entity} {id} has unflushed changes in "{locale}".',
    fix: 'Flush them before showing the entity in another language.',
  },
  PERSISTENCE_NO_VERSION: {
    message: '{entity} {id} has no version {version}.',
    fix: 'Call versionsOf() to list its versions.',
  },
  PERSISTENCE_NO_ORM: {
    message: 'lookback/persistence requires MikroORM, which could not be loaded.',
    fix: 'Run "npm install @mikro-orm/core@6 @mikro-orm/libsql@6" for SQLite. For PostgreSQL, install @mikro-orm/postgresql@6 instead of @mikro-orm/libsql@6.',
  },
  PERSISTENCE_NOT_AWAITED: {
    message: 'The {what} at {place} was not awaited: it was still running when the response was ready.',
    fix: 'Add "await" before the call. Without it, a successful response does not mean that the data was stored.',
  },
  PERSISTENCE_LATE_WRITE: {
    message:
      'The {what} at {place} started after the response was sent, so it does not write changes that the request made earlier.',
    fix: 'Await it in the controller. For work that outlives the request, use an entity manager from forActor().',
  },
  PERSISTENCE_NO_REQUEST: {
    message:
      'No unit of work is available: this code does not run inside a request that persistence handles.',
    fix: 'In jobs and commands, use forActor(). For requests, add the createPersistence() listeners to the application.',
  },
} as const;

/** Errors in the declaration or use of entities and their behaviours. */
export const persistenceErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/** Reports an error with its fix: to the log on the channel `persistence`, or as a Node process warning. */
export function warn(error: CodedError, facts: object, log: (() => Logger) | undefined): void {
  const { message, code, fix = '' } = error;
  if (log === undefined) process.emitWarning(message, { type: 'PersistenceWarning', code, detail: fix });
  else
    log()
      .channel('persistence')
      .warning(`${message} ${fix}`, { code, ...facts });
}

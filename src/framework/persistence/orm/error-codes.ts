import { defineErrorCodes, type ErrorCodes, type CodedError } from '#core/coded-error';
import type { Logger } from '#core/log';

const table = {
  PERSISTENCE_UNKNOWN_FIELD: {
    message: '{behaviour} of {entity} names the field "{field}", which the entity does not have.',
    fix: 'Declare "{field}" as a property of {entity}, or correct the name.',
  },
  PERSISTENCE_FIELD_NOT_TEXT: {
    message: '{behaviour} of {entity} needs text, but the field "{field}" is {kind}.',
    fix: 'Give "{field}" the type string or text, or leave it out of {behaviour}.',
  },
  PERSISTENCE_COMPOSITE_KEY: {
    message: '{behaviour} needs an entity with one primary key; {entity} has {count}.',
    fix: 'Give {entity} a single primary key and the columns of the current key a unique index.',
  },
  PERSISTENCE_RELATION_NEEDS_VALUE: {
    message: '{behaviour} of {entity} fills the relation "{field}" but does not say with what.',
    fix: 'Add `value: (fact, em) => em.getReference(Target, …)` to the rule of "{field}".',
  },
  PERSISTENCE_NOT_ENABLED: {
    message: 'The entity manager was created without behaviours.',
    fix: 'Pass the options of MikroORM.init() through withBehaviours().',
  },
  PERSISTENCE_NOT_DECLARED: {
    message: '{entity} is not declared as {behaviour}.',
    fix: 'Add {behaviour} to defineBehaviours() for {entity}.',
  },
  PERSISTENCE_BAD_LOCALE: {
    message: '"{locale}" is not a language tag.',
    fix: 'Use a BCP 47 tag such as "en" or "fr-CA".',
  },
  PERSISTENCE_UNSAVED_TRANSLATION: {
    message: '{entity} {id} has changes in "{locale}" that are not flushed yet.',
    fix: 'Flush before showing the entity in another language.',
  },
  PERSISTENCE_NO_VERSION: {
    message: '{entity} {id} has no version {version}.',
    fix: 'Call versionsOf() for the list of versions.',
  },
  PERSISTENCE_NO_ORM: {
    message: 'lookback/persistence requires MikroORM, which cannot be loaded.',
    fix: 'Run "npm install @mikro-orm/core@6 @mikro-orm/libsql@6" for SQLite; for PostgreSQL, @mikro-orm/postgresql@6 instead of the latter.',
  },
  PERSISTENCE_NOT_AWAITED: {
    message: 'The {what} at {place} was not awaited: it was still running when the response was ready.',
    fix: 'Put "await" before the call. Until then the response says nothing about whether the data is stored.',
  },
  PERSISTENCE_LATE_WRITE: {
    message:
      'The {what} at {place} began after the response had been sent: it does not write what the request had changed before.',
    fix: 'Await it in the controller, or do work that outlives the request with an entity manager of forActor().',
  },
  PERSISTENCE_NO_REQUEST: {
    message:
      'There is no unit of work here: this code does not run inside a request that persistence listens to.',
    fix: 'Use forActor() for jobs and commands, and add the listeners of createPersistence() to the application.',
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

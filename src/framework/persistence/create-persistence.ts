import { isNativeError } from 'node:util/types';
import type { MikroORM } from '@mikro-orm/core';
import { anObject, callable, checkOptions, type OptionsSchema, optionsSchema, required } from '#core/options';
import type { ValueResolver } from '#framework/controller';
import { ConflictError, NotFoundError, type HttpError } from '#core/errors';
import { type HttpRequest, isStreamedBody, requestLocale, requestUser } from '#core/http';
import {
  type KernelListener,
  kernelListener,
  kernelPriority,
  requestEvent,
  responseEvent,
  terminateEvent,
  exceptionEvent,
} from '#framework/kernel';
import type { Logger } from '#core/log';
import { type Scope, currentScope } from '#core/scope';
import { mikroOrm } from './orm/mikro-orm.js';
import { offerPlans, publishUnawaited, publishUnflushed, traceQueries } from './trace/trace-queries.js';
import { forkFor, RequestUnit, unitKey } from './request-unit.js';
import { persistenceErrors, warn } from './orm/error-codes.js';
import type { Actor } from './unit/actor.js';
import { beginWithLock } from './unit/begin-with-lock.js';

export interface PersistenceOptions<Orm extends MikroORM> {
  /** The initialized ORM: `await MikroORM.init(withBehaviours({ … }))`. */
  readonly orm: Orm;
  /** Logger for warnings, on the channel `persistence`: `() => app.log`. Default: Node process warnings. */
  readonly log?: () => Logger;
}

export const persistenceSchema: OptionsSchema<PersistenceOptions<MikroORM>> = optionsSchema<
  PersistenceOptions<MikroORM>
>({
  orm: required(anObject('an initialized MikroORM')),
  log: callable(),
});

/** Persistence as an application extension: listeners around routing, and an entity manager for each request. */
export interface Persistence<Orm extends MikroORM = MikroORM> {
  readonly name: 'persistence';
  readonly orm: Orm;
  /**
   * Listeners that prepare the unit of work before and after routing and close it after the response is sent. They also
   * answer a missing entity with 404, and a duplicate unique value or a lost optimistic lock with 409.
   */
  readonly listeners: readonly KernelListener[];
  /** Passes the entity manager to controllers as an argument. */
  readonly argument: ValueResolver<Orm['em']>;
  /** Returns a request's entity manager, which is created on first use. It only writes when flushed. */
  entityManager(request: HttpRequest): Orm['em'];
  /** Returns the current request's entity manager. Throws `PERSISTENCE_NO_REQUEST` outside requests. */
  current(): Orm['em'];
  /** Creates an entity manager for work outside requests: a job, a command, a fixture. Default: no user, default language. */
  forActor(actor?: Actor): Orm['em'];
  /** Closes the database connections. */
  close(): Promise<void>;
}

/** Connects an initialized ORM to the request lifecycle. */
export function createPersistence<Orm extends MikroORM>(options: PersistenceOptions<Orm>): Persistence<Orm> {
  checkOptions('createPersistence()', options, persistenceSchema);
  const { orm } = options;
  const em: Orm['em'] = orm.em;
  traceQueries(orm);
  const withdrawPlans = offerPlans(orm);
  beginWithLock(orm);
  // Opens the unit if the listeners did not: the persistence may have been opened while the request was in flight.
  const entityManager = (request: HttpRequest): Orm['em'] => unitOf(request.scope).entityManager(em);
  return {
    name: 'persistence',
    orm,
    listeners: listenersFor(options.log),
    argument: { name: 'entityManager', resolve: entityManager },
    entityManager,
    current() {
      const unit = currentScope()?.get(unitKey);
      if (unit !== undefined) return unit.entityManager(em);
      throw persistenceErrors.create('PERSISTENCE_NO_REQUEST', {});
    },
    forActor: (actor = {}) => forkFor(em, actor),
    close() {
      withdrawPlans();
      return orm.close(true);
    },
  };
}

type Log = (() => Logger) | undefined;

function listenersFor(log: Log): KernelListener[] {
  const {
    request: requestPriority,
    response: responsePriority,
    terminate: terminatePriority,
  } = kernelPriority;
  const open = (name: string, priority: number): KernelListener =>
    kernelListener(requestEvent, ({ request }) => void unitOf(request.scope), { name, priority });
  return [
    open('persistence before routing', requestPriority.persistenceBefore),
    open('persistence after routing', requestPriority.persistenceAfter),
    // SQLite may end a write before the last byte is sent, and a stream may await it.
    kernelListener(
      responseEvent,
      ({ request, response }) => {
        if (!isStreamedBody(response.body)) request.scope.get(unitKey)?.noteRunning();
      },
      { name: 'persistence notes what was not awaited', priority: responsePriority.persistence },
    ),
    kernelListener(terminateEvent, ({ request }) => endUnit(request, log), {
      name: 'persistence closes the unit of work',
      priority: terminatePriority.persistence,
    }),
    failureListener,
  ];
}

/**
 * Closes the unit of work. A write that was not awaited ends first: clearing the unit during the write would lose it.
 */
function endUnit({ scope }: HttpRequest, log: Log): Promise<void> | undefined {
  const unit = scope.get(unitKey);
  if (unit === undefined) return undefined;
  const { unawaited } = unit;
  if (unawaited.length === 0) return closeUnit(unit, log);
  const locations = new Map(unawaited.map(({ what, location }) => [location(), what]));
  for (const [location, what] of locations) {
    warn(
      persistenceErrors.create('PERSISTENCE_NOT_AWAITED', { what, place: location }),
      { place: location },
      log,
    );
    publishUnawaited(location);
  }
  return unit.finishWrites().then(() => closeUnit(unit, log));
}

function closeUnit(unit: RequestUnit, log: Log): Promise<void> {
  publishUnflushed(unit.opened);
  return unit.close((write) => {
    const [what, location] = [write.what, write.location()];
    warn(
      persistenceErrors.create('PERSISTENCE_LATE_WRITE', { what, place: location }),
      { place: location },
      log,
    );
  });
}

/** Returns a request's unit, and creates it if needed. Its language and user become known during the request. */
function unitOf(scope: Scope): RequestUnit {
  let unit = scope.get(unitKey);
  if (unit === undefined) {
    unit = new RequestUnit({
      locale: () => scope.get(requestLocale),
      user: () => scope.get(requestUser)?.(),
    });
    scope.set(unitKey, unit);
  }
  return unit;
}

/**
 * Turns MikroORM's missing entity into 404, and a conflict with existing data into 409; unlike MikroORM's messages,
 * both without values.
 */
export const failureListener: KernelListener = kernelListener(
  exceptionEvent,
  (event) => {
    event.error = answerOf(event.error) ?? event.error;
  },
  { name: 'persistence failures', priority: kernelPriority.exception.persistence },
);

function answerOf(error: unknown): HttpError | undefined {
  if (!isNativeError(error)) return undefined; // a Proxy is not a native error
  if (error instanceof mikroOrm.NotFoundError)
    return new NotFoundError('The requested item does not exist.', { cause: error });
  if (error instanceof mikroOrm.UniqueConstraintViolationException)
    return new ConflictError('A value that must be unique is already taken.', { cause: error });
  if (error instanceof mikroOrm.OptimisticLockError && !error.message.includes('unversioned'))
    return new ConflictError('It was changed by someone else in the meantime.', { cause: error });
  return undefined;
}

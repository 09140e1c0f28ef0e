import { isNativeError } from 'node:util/types';
import { ConflictError, NotFoundError } from '#errors';
import type { HttpError } from '#errors';
import type { KernelListener } from '#kernel';
import { exceptionEvent, kernelListener, kernelPriority } from '#kernel';
import { mikroOrm } from './orm/mikro-orm.js';

/**
 * Converts errors that MikroORM throws anywhere in a request: a missing entity becomes 404, a conflict with existing
 * data 409. The responses contain no values, unlike the messages of the causes.
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

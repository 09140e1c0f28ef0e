import { isNativeError } from 'node:util/types';
import { ConflictError, NotFoundError } from '#errors';
import type { HttpError } from '#errors';
import type { KernelListener } from '#kernel';
import { exceptionEvent, kernelListener, kernelPriority } from '#kernel';
import { mikroOrm } from './orm/mikro-orm.js';

/**
 * Answers what MikroORM throws for a request of something that does not exist (404) or collides with what is (409),
 * wherever in the request it was thrown. The client is sent no value: the messages of the causes have them.
 */
export const failureListener: KernelListener = kernelListener(
  exceptionEvent,
  (event) => {
    event.error = answerOf(event.error) ?? event.error;
  },
  { name: 'persistence failures', priority: kernelPriority.exception.persistence },
);

function answerOf(error: unknown): HttpError | undefined {
  if (!isNativeError(error)) return undefined; // Proxies are none
  if (error instanceof mikroOrm.NotFoundError)
    return new NotFoundError('The requested item does not exist.', { cause: error });
  if (error instanceof mikroOrm.UniqueConstraintViolationException)
    return new ConflictError('A value that must be unique is already taken.', { cause: error });
  if (error instanceof mikroOrm.OptimisticLockError && !error.message.includes('unversioned'))
    return new ConflictError('It was changed by someone else in the meantime.', { cause: error });
  return undefined;
}

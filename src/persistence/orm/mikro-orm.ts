import { createRequire } from 'node:module';
import type * as Core from '@mikro-orm/core';
import { persistenceErrors } from './error-codes.js';

/**
 * The core of MikroORM, an optional peer dependency. It is loaded with `require`, because a missing `import` fails
 * before any of our code could report the fix. Both load the same module.
 */
export const mikroOrm: typeof Core = loadCore();

function loadCore(): typeof Core {
  try {
    return createRequire(import.meta.url)('@mikro-orm/core') as typeof Core; // as declared by the package's types
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw persistenceErrors.create('PERSISTENCE_NO_ORM', {}, { cause });
  }
}

/** Returns whether the package itself is missing, not one of its dependencies. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) return false;
  return error.message.startsWith("Cannot find module '@mikro-orm/core'");
}

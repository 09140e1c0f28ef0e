import { createRequire } from 'node:module';
import type * as Core from '@mikro-orm/core';
import { persistenceErrors } from './error-codes.js';

/**
 * The part of MikroORM that is called. It is an optional peer: required here rather than imported, as the names of an
 * import are looked up before any line of ours could say what to do. The same module either way.
 */
export const mikroOrm: typeof Core = loadCore();

function loadCore(): typeof Core {
  try {
    return createRequire(import.meta.url)('@mikro-orm/core') as typeof Core; // what the package's types say of it
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw persistenceErrors.create('PERSISTENCE_NO_ORM', {}, { cause });
  }
}

/** Whether it is the package itself that is not there, and nothing that it needs. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) return false;
  return error.message.startsWith("Cannot find module '@mikro-orm/core'");
}

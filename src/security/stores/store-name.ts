import { securityErrors } from '../errors/error-codes.js';

/**
 * A name that is put into SQL or a key: throws `SECURITY_STORE_NAME` unless it is letters, digits and underscores.
 * Everything else reaches a database as a parameter.
 */
export function checkStoreName(name: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_]{0,39}$/.test(name))
    throw securityErrors.create('SECURITY_STORE_NAME', { name });
  return name;
}

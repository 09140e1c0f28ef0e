import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { TlsFiles } from './node-server-options.js';
import { serverErrors } from './server-errors.js';

/** Certificate and key of an HTTPS server. Throws `HTTP_TLS_UNREADABLE` and `HTTP_TLS_INVALID`. */
export function readTlsFiles(files: TlsFiles): { readonly cert: Buffer; readonly key: Buffer } {
  const cert = read('certificate', files.cert, 'TLS_CERT');
  const key = read('key', files.key, 'TLS_KEY');
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw serverErrors.create(
      'HTTP_TLS_INVALID',
      { cert: files.cert, key: files.key, reason: reasonOf(cause) },
      { cause },
    );
  }
  return { cert, key };
}

function read(what: string, path: string, setting: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw serverErrors.create(
      'HTTP_TLS_UNREADABLE',
      { what, path, setting, reason: reasonOf(cause) },
      { cause },
    );
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

import { readFileSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';
import type { TlsOptions } from 'node:tls';
import type { TlsFiles } from './node-server-options.js';
import { httpErrors } from '../../failures/error-codes.js';

/**
 * Reads the certificate, the key and the authority of client certificates. Throws `HTTP_TLS_UNREADABLE`,
 * `HTTP_TLS_INVALID` and `HTTP_TLS_CLIENT_CA`.
 */
export function readTlsFiles(files: TlsFiles): TlsOptions {
  const cert = read('certificate', files.cert, 'TLS_CERT');
  const key = read('key', files.key, 'TLS_KEY');
  try {
    process.getBuiltinModule('node:tls').createSecureContext({ cert, key }); // loaded on demand
  } catch (cause) {
    throw httpErrors.create(
      'HTTP_TLS_INVALID',
      { cert: files.cert, key: files.key, reason: reasonOf(cause) },
      { cause },
    );
  }
  return { cert, key, ...readClientAuthorities(files.clientCa) };
}

/** Requests client certificates without requiring them: a client without a valid one is anonymous, and the application decides. */
function readClientAuthorities(path: string | undefined): TlsOptions {
  if (path === undefined) return {};
  const ca = read('client authority', path, 'TLS_CLIENT_CA');
  try {
    new X509Certificate(ca); // OpenSSL accepts a file without a certificate, and would then trust no client
  } catch (cause) {
    throw httpErrors.create('HTTP_TLS_CLIENT_CA', { path, reason: reasonOf(cause) }, { cause });
  }
  return { ca, requestCert: true, rejectUnauthorized: false, sessionIdContext: 'lookback' };
}

function read(what: string, path: string, setting: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw httpErrors.create(
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

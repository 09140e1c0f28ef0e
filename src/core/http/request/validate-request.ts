import { isCodedError } from '#core/coded-error';
import { isHttpError } from '#core/errors';
import { failureError, httpErrors } from '../failures/error-codes.js';
import type { HttpRequest } from './http-request.js';
import { assertTarget } from '../source/request-source.js';
import { unnamedHost } from '../trust/ip-address.js';

const supportedVersions: ReadonlySet<string> = new Set(['1.1', '1.0', '2.0']);

/**
 * Validates a request before routing: parser failures, target, host, path, forwarding headers, method override and
 * declared length. Throws a `BadRequestError`, or an error with a more specific status (408, 413, 414, 417, 431); its
 * `cause` is the underlying coded error, whose message it has. The parts of a refused request can still be read (see
 * `HttpRequest.refuse`).
 */
export function validateRequest(request: HttpRequest): void {
  try {
    check(request);
  } catch (error) {
    request.refuse();
    throw isCodedError(error) && !isHttpError(error) ? failureError(error) : error;
  }
}

function check(request: HttpRequest): void {
  const { source, limits } = request;
  if (source.failure !== undefined) throw source.failure;
  if (!supportedVersions.has(source.httpVersion)) {
    throw httpErrors.create('HTTP_VERSION_UNSUPPORTED', { version: source.httpVersion });
  }
  const { length } = source.target;
  if (length > limits.target) {
    throw httpErrors.create('HTTP_TARGET_TOO_LONG', { length, limit: limits.target });
  }
  assertMethod(source.method);
  assertTarget(source.target, request.target);
  const { host } = request;
  if (host !== unnamedHost && request.trust !== undefined && !request.trust.isAllowedHost(host)) {
    throw httpErrors.create('HTTP_HOST_NOT_ALLOWED', { host });
  }
  void request.path; // decodes it
  void request.method; // reads an override
  checkFraming(request);
}

/** Refuses methods that are not in upper case: route and firewall rules match upper case and must not be bypassed. */
function assertMethod(method: string): void {
  if (method === 'GET' || method === 'POST') return;
  if (/[a-z]/.test(method)) throw httpErrors.create('HTTP_METHOD_CASE', { method: method.slice(0, 100) });
  if (method === 'CONNECT') throw httpErrors.create('HTTP_METHOD_UNSUPPORTED', { method });
}

function checkFraming(request: HttpRequest): void {
  const { limits } = request;
  const coding = request.headers.get('transfer-encoding');
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    throw httpErrors.create('HTTP_TRANSFER_CODING', { coding: coding.slice(0, 100) });
  }
  const declared = request.source.body === undefined ? undefined : request.declaredLength;
  if (declared === undefined || declared <= limits.body) return;
  const isForm = /^multipart\/form-data\s*;/i.test(request.headers.get('content-type') ?? '');
  const limit = isForm ? Math.max(limits.upload, limits.body) : limits.body;
  if (declared > limit) throw httpErrors.create('HTTP_BODY_TOO_LARGE', { limit });
}

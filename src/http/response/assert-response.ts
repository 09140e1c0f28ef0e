import { httpErrors } from '../failures/error-codes.js';
import type { ResponseBody } from './response-body.js';

/** Throws `HTTP_STATUS_INVALID` if a final response cannot have the status. */
export function assertStatus(status: number): void {
  if (Number.isInteger(status) && status >= 200 && status <= 599) return;
  throw httpErrors.create('HTTP_STATUS_INVALID', { status });
}

/** Throws `HTTP_STATUS_INVALID` or `HTTP_RESPONSE_BODY_INVALID` if a response cannot be sent. */
export function assertResponse(response: { readonly status: number; readonly body: ResponseBody }): void {
  const { status, body } = response;
  if (status !== 101 || !('take' in response)) assertStatus(status); // an `UpgradeResponse` writes its answer itself
  if (typeof body === 'string' || body === null || body instanceof Uint8Array) return;
  if (typeof body === 'object' && Symbol.asyncIterator in body) return;
  throw httpErrors.create('HTTP_RESPONSE_BODY_INVALID', { what: typeof body });
}

/** Returns true if HTTP allows no body: for answers to HEAD, and for 204, 205 and 304. */
export function isBodiless(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 205 || status === 304;
}

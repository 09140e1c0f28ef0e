import { isCodedError } from '#coded-error';
import { type HttpRequest, badRequest, failureError, isJsonType, unsupportedMediaType } from '#http';
import { controllerErrors } from './error-codes.js';

/** Kinds of body content that can be accepted. */
export type ContentKind = 'json' | 'form';

/**
 * Reads the body of a request by its media type: JSON unchanged, a form as a record (see `FormBody.toRecord`). Returns
 * undefined if there is no body. Throws 415 for other media types or none, 400 for a malformed body, 413 above the size
 * limit.
 */
export async function readContent(
  request: HttpRequest,
  kinds: readonly ContentKind[] = ['json', 'form'],
): Promise<unknown> {
  const type = request.mediaType;
  if (type === undefined) {
    if ((await request.bytes()).byteLength === 0) return undefined;
    throw unsupported(kinds, 'none');
  }
  if (kinds.includes('json') && isJsonType(type)) return request.json();
  const isForm =
    type.essence === 'application/x-www-form-urlencoded' || type.essence === 'multipart/form-data';
  if (!kinds.includes('form') || !isForm) throw unsupported(kinds, type.essence);
  const form = await request.form();
  try {
    return form.toRecord();
  } catch (error) {
    throw isCodedError(error) ? failureError(error) : error;
  }
}

/** The media types of each kind of content. */
export const contentMediaTypes: Readonly<Record<ContentKind, readonly string[]>> = {
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded', 'multipart/form-data'],
};

/** Like `readContent`, but throws 400 if there is no body. */
export async function requireContent(request: HttpRequest, kinds?: readonly ContentKind[]): Promise<unknown> {
  const content = await readContent(request, kinds);
  if (content !== undefined) return content;
  throw badRequest(controllerErrors.create('CONTROLLER_NO_CONTENT', {}));
}

function unsupported(kinds: readonly ContentKind[], given: string): Error {
  const expected = kinds.flatMap((kind) => contentMediaTypes[kind]).join(' or ');
  const facts = { given: given.slice(0, 200), expected };
  return unsupportedMediaType(controllerErrors.create('CONTROLLER_CONTENT_TYPE', facts));
}

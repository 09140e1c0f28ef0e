import { unsupportedMediaType } from '../failures/bad-request.js';
import { httpErrors } from '../failures/error-codes.js';
import type { FormBody } from './form-body.js';
import type { MediaType } from '../headers/media-type.js';
import { parseMultipartForm, parseUrlencodedForm } from './parse-form-body.js';
import type { RequestLimits } from '../source/request-limits.js';

interface Readable {
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
}

/** The form of a body by its media type. Throws 415 for every other type. */
export async function parseFormOf(
  body: Readable,
  type: MediaType | undefined,
  limits: RequestLimits,
): Promise<FormBody> {
  if (type?.essence === 'application/x-www-form-urlencoded') {
    return parseUrlencodedForm(await body.text(), limits);
  }
  if (type?.essence === 'multipart/form-data') return parseMultipartForm(await body.bytes(), type, limits);
  throw unsupportedMediaType(
    httpErrors.create('HTTP_MEDIA_TYPE_UNSUPPORTED', {
      given: type?.essence ?? 'none',
      expected: 'application/x-www-form-urlencoded or multipart/form-data',
    }),
  );
}

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { unsupportedMediaType, httpErrors } from '../failures/error-codes.js';
import type { MediaType } from '../headers/parameters.js';
import type { HttpRequest } from '../request/http-request.js';
import type { RequestLimits } from '../source/request-source.js';
import { FormBody, type UploadedFile } from './form-body.js';
import { malformedForm, readParts, tooManyParts } from './read-parts.js';

type Entry = readonly [name: string, value: string | UploadedFile];

/** Parses an `application/x-www-form-urlencoded` body (URL standard section 5.1), in which a bare `%` is a character. Throws 400 for bytes that are no UTF-8. */
function parseUrlencodedForm(text: string, limits: RequestLimits): FormBody {
  const entries: Entry[] = [];
  for (const pair of text === '' ? [] : text.split('&', limits.formFields + 1)) {
    if (pair === '') continue;
    if (entries.length >= limits.formFields) throw tooManyParts(limits.formFields, 'fields');
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    entries.push([decodeComponent(name), equals === -1 ? '' : decodeComponent(pair.slice(equals + 1))]);
  }
  return new FormBody(entries, limits.formDepth);
}

function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' ').replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25'));
  } catch (cause) {
    throw malformedForm('a percent-encoding is no UTF-8', cause);
  }
}

/** Bytes parsed in one event-loop tick. */
const sliceBytes = 16_384;

async function* slicesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += sliceBytes) {
    if (at > 0) await yieldToEventLoop();
    yield bytes.subarray(at, at + sliceBytes);
  }
}

/** Parses a `multipart/form-data` body that is in memory. */
async function parseMultipartForm(
  bytes: Uint8Array,
  type: MediaType,
  { formFields, files, formDepth, body }: RequestLimits,
): Promise<FormBody> {
  const entries: (Entry | undefined)[] = [];
  await readParts(slicesOf(bytes), type, {
    limits: { parts: formFields, fields: formFields, files, fieldSize: body },
    field: (name, value) => void entries.push([name, value]),
    file(file, stream) {
      const chunks: Uint8Array[] = [];
      const place = entries.push(undefined) - 1; // reserves the position: a file may end after the fields that follow it
      stream.on('data', (chunk: Uint8Array) => chunks.push(chunk));
      stream.on('end', () => {
        const content = Buffer.concat(chunks);
        if (file.filename !== '' || content.length > 0)
          entries[place] = [file.field, { ...file, bytes: content }]; // browsers send an empty file field as an empty file without a name
      });
    },
  });
  return new FormBody(
    entries.filter((entry) => entry !== undefined),
    formDepth,
  );
}

/** Parses a form body by its media type. Throws 415 if the type is not a form's. */
export async function parseForm(
  body: Pick<HttpRequest, 'bytes' | 'text'>,
  { mediaType: type, limits }: Pick<HttpRequest, 'mediaType' | 'limits'>,
): Promise<FormBody> {
  if (type?.essence === 'application/x-www-form-urlencoded')
    return parseUrlencodedForm(await body.text(), limits);
  if (type?.essence === 'multipart/form-data') return parseMultipartForm(await body.bytes(), type, limits);
  throw unsupportedMediaType(
    httpErrors.create('HTTP_MEDIA_TYPE_UNSUPPORTED', {
      given: type?.essence ?? 'none',
      expected: 'application/x-www-form-urlencoded or multipart/form-data',
    }),
  );
}

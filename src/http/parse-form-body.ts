import { Busboy } from '@fastify/busboy';
import { badRequest, payloadTooLarge } from './bad-request.js';
import { httpErrors } from './error-codes.js';
import { FormBody } from './form-body.js';
import type { MediaType } from './media-type.js';
import type { RequestLimits } from './request-limits.js';
import type { UploadedFile } from './uploaded-file.js';

type Entry = readonly [name: string, value: string | UploadedFile];

/** Fields of an `application/x-www-form-urlencoded` body (URL standard section 5.1), with their percent-encoding checked. */
export function parseUrlencodedForm(text: string, limits: RequestLimits): FormBody {
  const entries: Entry[] = [];
  for (const pair of text === '' ? [] : text.split('&', limits.formFields + 1)) {
    if (pair === '') continue;
    if (entries.length >= limits.formFields) throw tooMany(limits.formFields, 'fields');
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    entries.push([decodeComponent(name), equals === -1 ? '' : decodeComponent(pair.slice(equals + 1))]);
  }
  return new FormBody(entries, limits.formDepth);
}

function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw malformed('a percent-encoding is broken or no UTF-8', cause);
  }
}

/** Fields and files of a `multipart/form-data` body (RFC 7578) that is in memory. */
export function parseMultipartForm(
  bytes: Uint8Array,
  type: MediaType,
  limits: RequestLimits,
): Promise<FormBody> {
  const boundary = type.parameters.get('boundary') ?? '';
  if (!/^[0-9A-Za-z'()+_,./:=? -]{1,70}$/.test(boundary)) {
    throw malformed('the Content-Type names no boundary, or one that cannot be');
  }
  return new Promise((resolve, reject) => {
    const entries: (Entry | undefined)[] = [];
    const parser = new Busboy({
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
      limits: {
        fields: limits.formFields,
        files: limits.files,
        parts: limits.formFields,
        fieldSize: limits.body,
        fieldNameSize: 1000,
        headerPairs: 20,
      },
    });
    parser.on('field', (name, value) => entries.push([name ?? '', value]));
    parser.on('file', (field, stream, filename, _encoding, mediaType) => {
      const chunks: Uint8Array[] = [];
      const place = entries.push(undefined) - 1; // a file ends later than the fields behind it
      stream.on('data', (chunk: Uint8Array) => chunks.push(chunk));
      stream.on('error', (cause) => reject(malformed('a part is cut off', cause)));
      stream.on('end', () => {
        const file = { field, filename: filename ?? '', mediaType, bytes: Buffer.concat(chunks) };
        if (file.filename !== '' || file.bytes.length > 0) entries[place] = [field, file]; // a field left empty is sent as a nameless, empty file
      });
    });
    parser.on('partsLimit', () => reject(tooMany(limits.formFields, 'parts')));
    parser.on('fieldsLimit', () => reject(tooMany(limits.formFields, 'fields')));
    parser.on('filesLimit', () => reject(tooMany(limits.files, 'files')));
    parser.on('error', (cause) => reject(malformed('its parts cannot be told apart', cause)));
    parser.on('finish', () =>
      resolve(
        new FormBody(
          entries.filter((entry) => entry !== undefined),
          limits.formDepth,
        ),
      ),
    );
    parser.end(bytes);
  });
}

function malformed(reason: string, cause?: unknown): Error {
  return badRequest(httpErrors.create('HTTP_FORM_MALFORMED', { reason }, { cause }));
}

function tooMany(limit: number, what: string): Error {
  return payloadTooLarge(httpErrors.create('HTTP_FORM_TOO_LARGE', { limit, what }));
}

import { type OptionNames, refuseUnknownOptions, optionNames } from '#coded-error';
import {
  type FormBody,
  type HttpRequest,
  type UploadedFile,
  badRequest,
  payloadTooLarge,
  unsupportedMediaType,
} from '#http';
import { mediaRangeSpecificity } from '#negotiation';
import { controllerErrors } from '../error-codes.js';
import { type ContentKind, contentMediaTypes, requireContent } from '../read-content.js';
import type { ValueResolver } from '../resolve-arguments.js';
import { type StandardSchema, validateValue } from '../validation-error.js';

const allKinds: readonly ContentKind[] = ['json', 'form'];

/**
 * Resolves the body, JSON or form, as the output of a schema. Throws 422 with the violations, 400 or 415 if the body
 * cannot be read.
 */
export function requestBody<Output>(
  schema: StandardSchema<Output>,
  options: { readonly name?: string; readonly kinds?: readonly ContentKind[] } = {},
): ValueResolver<Output> {
  return {
    name: options.name ?? 'body',
    source: {
      in: 'body',
      schema,
      mediaTypes: (options.kinds ?? allKinds).flatMap((kind) => contentMediaTypes[kind]),
    },
    resolve: async (request) => validateValue(schema, await requireContent(request, options.kinds)),
  };
}

/** Resolves the JSON body, as the output of the schema if one is given. */
export function jsonBody(): ValueResolver;
export function jsonBody<Output>(schema: StandardSchema<Output>): ValueResolver<Output>;
export function jsonBody(schema?: StandardSchema): ValueResolver {
  if (schema !== undefined) return requestBody(schema, { kinds: ['json'] });
  const source = { in: 'body', mediaTypes: contentMediaTypes.json } as const;
  return { name: 'body', source, resolve: (request) => requireContent(request, ['json']) };
}

/** Resolves the form with its fields and files. Throws 415 if the body is not a form. */
export function formBody(): ValueResolver<FormBody> {
  const source = { in: 'body', mediaTypes: contentMediaTypes.form } as const;
  return { name: 'form', source, resolve: (request) => request.form() };
}

export interface FileOptions {
  /** True to resolve a missing file as undefined. Default: a missing file throws 400. */
  readonly optional?: boolean;
  /** Maximum size in bytes; a larger file throws 413. */
  readonly maxBytes?: number;
  /** Accepted media types as claimed by the client, also with wildcards such as `image/*`; others throw 415. */
  readonly types?: readonly string[];
}

const fileOptionNames: OptionNames<FileOptions> = optionNames('optional maxBytes types');

/** Resolves a file of the form. Its name and type are claims of the client that do not have to match its contents. */
export function uploadedFile(
  field: string,
  options: FileOptions & { readonly optional: true },
): ValueResolver<UploadedFile | undefined>;
export function uploadedFile(field: string, options?: FileOptions): ValueResolver<UploadedFile>;
export function uploadedFile(
  field: string,
  options: FileOptions = {},
): ValueResolver<UploadedFile | undefined> {
  refuseUnknownOptions(`uploadedFile("${field}")`, options, fileOptionNames);
  return {
    name: field,
    source: { in: 'form', name: field, isRequired: options.optional !== true, type: 'file' },
    resolve: (request) => findFile(request, field, options),
  };
}

async function findFile(
  request: HttpRequest,
  field: string,
  options: FileOptions,
): Promise<UploadedFile | undefined> {
  const file = (await request.form()).file(field);
  if (file === undefined) {
    if (options.optional === true) return undefined;
    throw badRequest(controllerErrors.create('CONTROLLER_FILE_MISSING', { field }));
  }
  const { maxBytes, types } = options;
  if (maxBytes !== undefined && file.bytes.byteLength > maxBytes) {
    throw payloadTooLarge(controllerErrors.create('CONTROLLER_FILE_TOO_LARGE', { field, limit: maxBytes }));
  }
  if (types?.some((type) => mediaRangeSpecificity(type, file.mediaType.toLowerCase()) > 0) === false) {
    const facts = { field, given: file.mediaType.slice(0, 100), expected: types.join(', ') };
    throw unsupportedMediaType(controllerErrors.create('CONTROLLER_FILE_TYPE', facts));
  }
  return file;
}

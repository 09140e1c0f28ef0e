import type { FormBody } from '#http';
import { type ContentKind, requireContent } from '../read-content.js';
import type { ValueResolver } from '../resolve-arguments.js';
import { type StandardSchema, validateValue } from '../validation-error.js';

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
    resolve: async (request) => validateValue(schema, await requireContent(request, options.kinds)),
  };
}

/** Resolves the form with its fields and files. Throws 415 if the body is not a form. */
export function formBody(): ValueResolver<FormBody> {
  return { name: 'form', resolve: (request) => request.form() };
}

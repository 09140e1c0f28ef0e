import { isCodedError } from '#core/coded-error';
import { anObject, checkValue, listOf, oneOf } from '#core/options';
import {
  badRequest,
  failureError,
  FormBody,
  type HttpRequest,
  isJsonType,
  unsupportedMediaType,
} from '#core/http';
import { controllerErrors } from './error-codes.js';
import {
  pathOf,
  publishValidation,
  type SchemaIssue,
  type StandardSchema,
  standardSchema,
  validateInput,
} from './validation-error.js';

/** Kinds of body content that can be accepted. */
export type ContentKind = 'json' | 'form';

const formValues = anObject<ReceivedForm['values']>('an object with values by field name');
const contentKinds = listOf(oneOf('json', 'form'));

/**
 * Reads a request's body by its media type: JSON unchanged, a form as a record (see `FormBody.toRecord`). Returns
 * undefined if there is no body. Throws 415 for other media types or none, 400 for a malformed body, 413 above the size
 * limit.
 */
export async function readContent(
  request: HttpRequest,
  kinds: readonly ContentKind[] = ['json', 'form'],
): Promise<unknown> {
  checkValue('readContent()', 'kinds', kinds, contentKinds);
  const type = request.mediaType;
  if (type === undefined) {
    if ((await request.bytes()).byteLength === 0) return undefined;
    throw unsupported(kinds, 'none');
  }
  if (kinds.includes('json') && isJsonType(type)) return request.json();
  if (!kinds.includes('form') || !contentMediaTypes.form.includes(type.essence))
    throw unsupported(kinds, type.essence);
  const form = await request.form();
  try {
    return form.toRecord();
  } catch (error) {
    throw isCodedError(error) ? failureError(error) : error;
  }
}

const contentMediaTypes: Readonly<Record<ContentKind, readonly string[]>> = {
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

/** A form as submitted: the values to show again, and its errors. */
export interface ReceivedForm<Output = unknown> {
  /** The schema's output; undefined if the form is invalid. */
  readonly data: Output | undefined;
  /**
   * The submitted values by field name: a string, or the list of all strings for a field that the schema expects as a
   * list (checkboxes, `<select multiple>`). `isChosen` handles both. Do not show passwords again.
   */
  readonly values: Readonly<Record<string, string | readonly string[]>>;
  /** Each field's first problem, by name; under `''`, a problem with the whole form. You may add others. */
  readonly errors: Record<string, string>;
}

/** Returns a form that was not submitted yet, for the page that shows it first. */
export function emptyForm(
  values: Readonly<Record<string, string | readonly string[]>> = {},
): ReceivedForm<never> {
  checkValue('emptyForm()', 'values', values, formValues);
  return { data: undefined, values, errors: {} };
}

/** Whether a field's value, or one of its values, is this text: whether its checkbox or option is selected. */
export function isChosen({ values }: Pick<ReceivedForm, 'values'>, name: string, text: string): boolean {
  const chosen = values[name];
  return typeof chosen === 'string' ? chosen === text : chosen?.includes(text) === true;
}

/**
 * Reads a form and validates it, for a page that shows an invalid form again: `const form = await readForm(request,
 * Registration); if (form.data === undefined) return page(form);` Throws 415 if the body is not a form, 400 if it is
 * malformed, and 413 above the size limits.
 */
export async function readForm<Output>(
  request: HttpRequest,
  schema: StandardSchema<Output>,
): Promise<ReceivedForm<Output>> {
  checkValue('readForm()', 'schema', schema, standardSchema);
  const record = await readContent(request, ['form']);
  const form = await request.form();
  const errors = fieldRecord<string>();
  const result = await validateInput(schema, record);
  publishValidation('form', record, result.issues);
  for (const issue of result.issues ?? []) errors[fieldOf(issue, form)] ??= issue.message;
  const values = shownValues(form, record);
  return { data: result.issues === undefined ? result.value : undefined, values, errors };
}

/**
 * Returns the values to show again. The record has the shape that the schema expects, so it determines which fields are
 * lists.
 */
function shownValues(form: FormBody, record: unknown): Record<string, string | string[]> {
  const values = fieldRecord<string | string[]>();
  for (const name of new Set(form.entries.map(([each]) => each))) {
    const texts = form.getAll(name);
    const last = texts.at(-1);
    if (last !== undefined) values[name] = Array.isArray(FormBody.valueIn(record, name)) ? texts : last;
  }
  return values;
}

/** Creates a null-prototype record, because clients choose the field names. */
function fieldRecord<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>; // empty
}

/**
 * Returns the name of the form field that an issue is about: `a[b]`, or the list `a` or `a[]` for one of its elements.
 */
function fieldOf(issue: SchemaIssue, form: FormBody): string {
  const [first = '', ...steps] = pathOf(issue).map(String);
  const name = (keys: readonly string[]): string => [first, ...keys.map((key) => `[${key}]`)].join('');
  const list = name(steps.slice(0, -1));
  const candidates = [name(steps), ...(steps.length > 0 ? [`${list}[]`, list] : [`${first}[]`])];
  return candidates.find((candidate) => form.has(candidate)) ?? name(steps);
}

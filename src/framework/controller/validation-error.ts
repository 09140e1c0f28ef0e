import { channel } from 'node:diagnostics_channel';
import { nameErrors } from '#core/coded-error';
import { UnprocessableContentError, type Violation } from '#core/errors';
import { type FormRecord, lastOfRepeated } from '#core/http';
import { checkValue, type OptionType, optionType } from '#core/options';

/**
 * The part of Standard Schema v1 (standardschema.dev) that is used here; Zod, Valibot, ArkType and others implement it.
 */
export interface StandardSchema<Output = unknown, Input = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** For the compiler only. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The type of options that are schemas: ArkType's schemas are functions. */
export const standardSchema: OptionType<StandardSchema> = optionType(
  'a Standard Schema',
  (value) =>
    ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~standard' in value,
);

/** A validation's result: the schema's output, or the value's issues. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One issue found by a schema; `path` is its location within the validated value. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Converts a schema issue to a violation, in the given part of the request. */
export function toViolation(issue: SchemaIssue, part?: Violation['in']): Violation {
  return {
    path: renderPath(pathOf(issue)),
    message: issue.message,
    code: codeOf(issue),
    ...(part === undefined ? {} : { in: part }),
  };
}

export function describeViolation({ in: part, path, message }: Violation): string {
  const location = part === undefined || part === 'body' ? path : `${part} ${path}`.trim();
  return location === '' ? message : `${location}: ${message}`;
}

/** Returns an issue's code, which the standard lacks: Zod and ArkType have it as `code`, Valibot as `type`. */
function codeOf(issue: SchemaIssue & { readonly code?: unknown; readonly type?: unknown }): string {
  for (const code of [issue.code, issue.type]) if (typeof code === 'string' && code !== '') return code;
  return 'invalid';
}

function renderPath(path: readonly PropertyKey[]): string {
  const steps = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return steps.join('').replace(/^\./, '');
}

const maxViolations = 100;

/**
 * 422: the content is well-formed but invalid. The message has one line for each violation; if there are more than 100,
 * its last line says how many are left out.
 */
export class ValidationError extends UnprocessableContentError {
  /** The violations in the order they were found, at most 100. */
  declare readonly violations: readonly Violation[];

  /** Takes schema issues, violations, or both. */
  constructor(issues: readonly (SchemaIssue | Violation)[]) {
    const violations = issues.slice(0, maxViolations).map((issue) => {
      return isViolation(issue) ? issue : toViolation(issue);
    });
    const leftOut = issues.length - violations.length;
    const last =
      leftOut === 0
        ? []
        : [`${leftOut} further ${leftOut === 1 ? 'violation is' : 'violations are'} left out.`];
    super([...violations.map(describeViolation), ...last].join('\n'), { violations });
  }

  static {
    nameErrors(this, 'ValidationError');
  }
}

function isViolation(issue: SchemaIssue | Violation): issue is Violation {
  return typeof issue.path === 'string';
}

/**
 * Validates a value and returns the schema's output. Throws a `ValidationError` with all issues. Records name the value
 * by its source.
 */
export async function validateValue<Output>(
  schema: StandardSchema<Output>,
  value: unknown,
  source: ValidationSource = 'value',
): Promise<Output> {
  checkValue('validateValue()', 'schema', schema, standardSchema);
  const result = await validateInput(schema, value);
  publishValidation(source, value, result.issues);
  if (result.issues === undefined) return result.value;
  throw new ValidationError(result.issues);
}

/**
 * Validates a value from a request. In a query or form, a list with one value looks like a text, and an empty list like
 * a missing field: if the schema refuses one of these, a list is tried instead. A hidden field before a checkbox
 * produces a list of two texts: if the schema refuses it, the last text is tried. A replacement counts if the schema
 * accepts it there; otherwise the first refusal stands. The record is updated with accepted replacements.
 */
export async function validateInput<Output>(
  schema: StandardSchema<Output>,
  value: unknown,
): Promise<SchemaResult<Output>> {
  const first = await schema['~standard'].validate(value);
  if (first.issues === undefined || !isFormRecord(value)) return first;
  const guesses = first.issues.flatMap((issue) => guessFor(issue, value) ?? []);
  if (guesses.length === 0) return first;
  for (const { path, tried } of guesses) write(value, path, tried);
  const second = await schema['~standard'].validate(value);
  const refused = new Set((second.issues ?? []).map((issue) => violationKey(pathOf(issue))));
  const right = guesses.filter(({ path }) => !refused.has(violationKey(path)));
  if (right.length === guesses.length && right.every(({ given }) => given !== undefined)) return second;
  for (const guess of guesses) {
    const { path, given } = guess;
    if (!right.includes(guess)) write(value, path, given);
    else if (given === undefined) write(value, path, []);
  }
  return right.length === 0 ? first : schema['~standard'].validate(value);
}

/**
 * Element of the list that is tried for a missing field: a schema that converts to numbers would accept an empty list
 * as 0.
 */
const noText = {};

/** Returns whether a value is the record of a query or form: only these have a null prototype. */
function isFormRecord(value: unknown): value is FormRecord {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}

/**
 * Returns an issue's field, the submitted value, and the value that the schema may expect: a list, or the last text of
 * a repeated field.
 */
function guessFor(issue: SchemaIssue, fields: FormRecord) {
  const path = pathOf(issue);
  if (path.length === 0) return undefined;
  const parent = read(fields, path.slice(0, -1));
  if (typeof parent !== 'object' || parent === null || Array.isArray(parent)) return undefined;
  const given = read(fields, path);
  const last = lastOfRepeated(given);
  if (last !== undefined) return { path, given, tried: last };
  const isField = typeof given === 'string' || given === undefined || isFile(given);
  return isField ? { path, given, tried: [given ?? noText] } : undefined;
}

export function pathOf({ path = [] }: SchemaIssue): readonly PropertyKey[] {
  return path.map((part) => (typeof part === 'object' ? part.key : part));
}

function violationKey(path: readonly PropertyKey[]): string {
  return JSON.stringify(path.map(String));
}

function read(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

function write(fields: FormRecord, path: readonly PropertyKey[], value: unknown): void {
  const parent = Object(read(fields, path.slice(0, -1))) as object; // an object, as `guessFor` has checked
  const key = path.at(-1) ?? '';
  if (value === undefined) Reflect.deleteProperty(parent, key);
  else Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
}

function isFile(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array;
}

/** The validated value: a part of the request, a form read by `readForm`, a controller's result, or any other value. */
export type ValidationSource = 'path' | 'query' | 'header' | 'body' | 'form' | 'response' | 'value';

/** Published on `lookback:validation`, within the request's scope, whenever a schema has validated a value. */
export interface ValidationMessage {
  readonly source: ValidationSource;
  /** The value passed to the schema. */
  readonly values: unknown;
  /** Empty if the schema accepted the value. `keys` is the path within the value. */
  readonly violations: readonly {
    readonly path: string;
    readonly keys: readonly PropertyKey[];
    readonly message: string;
    readonly code: string;
  }[];
  /** Number of all violations; `violations` has the first 50. */
  readonly total: number;
}

const validations = channel('lookback:validation');
const maxPublished = 50;

/** Publishes a validation's outcome, for records; does nothing without subscribers. */
export function publishValidation(
  source: ValidationSource,
  values: unknown,
  issues: readonly SchemaIssue[] = [],
): void {
  if (!validations.hasSubscribers) return;
  const violations = issues.slice(0, maxPublished).map((issue) => {
    const { path, message, code } = toViolation(issue);
    return { path, keys: pathOf(issue), message, code };
  });
  validations.publish({ source, values, violations, total: issues.length } satisfies ValidationMessage);
}

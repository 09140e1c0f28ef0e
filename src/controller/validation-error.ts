import { nameErrors } from '#coded-error';
import { UnprocessableContentError, type Violation } from '#errors';

/**
 * The part of Standard Schema v1 (standardschema.dev) that is used here. Zod, Valibot, ArkType and other libraries implement
 * it under `~standard`.
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

/** The result of a validation: the output of the schema, or the issues of the value. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One issue found by a schema; `path` is its location within the validated value. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Converts an issue of a schema to a violation, in the given part of the request. */
export function toViolation(issue: SchemaIssue, part?: Violation['in']): Violation {
  return {
    path: renderPath(issue.path ?? []),
    message: issue.message,
    code: codeOf(issue),
    ...(part === undefined ? {} : { in: part }),
  };
}

/** Renders a violation as one line of text. */
export function describeViolation({ in: part, path, message }: Violation): string {
  const place = part === undefined || part === 'body' ? path : `${part} ${path}`.trim();
  return place === '' ? message : `${place}: ${message}`;
}

/**
 * Returns the code of an issue. The standard has none, but the libraries have: Zod and ArkType as `code`, Valibot as
 * `type`.
 */
function codeOf(issue: SchemaIssue & { readonly code?: unknown; readonly type?: unknown }): string {
  for (const code of [issue.code, issue.type]) if (typeof code === 'string' && code !== '') return code;
  return 'invalid';
}

function renderPath(path: NonNullable<SchemaIssue['path']>): string {
  let text = '';
  for (const step of path) {
    const key = typeof step === 'object' ? step.key : step;
    if (typeof key === 'number') text += `[${key}]`;
    else text += text === '' ? String(key) : `.${String(key)}`;
  }
  return text;
}

const maxViolations = 100;

/** 422: the content is well-formed but invalid. The message has one line for each violation. */
export class ValidationError extends UnprocessableContentError {
  /** The violations in the order they were found, at most 100. */
  declare readonly violations: readonly Violation[];
  /** Number of all violations, including those beyond the limit of the list. */
  readonly count: number;

  /** Takes the issues of a schema, violations, or both. */
  constructor(issues: readonly (SchemaIssue | Violation)[]) {
    const violations = issues.slice(0, maxViolations).map((issue) => {
      return isViolation(issue) ? issue : toViolation(issue);
    });
    super(violations.map(describeViolation).join('\n'), { violations });
    this.count = issues.length;
  }

  static {
    nameErrors(this, 'ValidationError');
  }
}

function isViolation(issue: SchemaIssue | Violation): issue is Violation {
  return typeof issue.path === 'string';
}

/** Validates a value and returns the output of the schema. Throws a `ValidationError` with all issues. */
export async function validateValue<Output>(schema: StandardSchema<Output>, value: unknown): Promise<Output> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  throw new ValidationError(result.issues);
}

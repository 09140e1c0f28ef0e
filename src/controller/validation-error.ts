import { nameErrors } from '#coded-error';
import { type Violation, UnprocessableContentError } from '#errors';
import type { SchemaIssue, StandardSchema } from './standard-schema.js';

/** An issue of a schema as a violation of a part of the request. */
export function toViolation(issue: SchemaIssue, part?: Violation['in']): Violation {
  return {
    path: renderPath(issue.path ?? []),
    message: issue.message,
    code: codeOf(issue),
    ...(part === undefined ? {} : { in: part }),
  };
}

/** A line of text for people. */
export function describeViolation({ in: part, path, message }: Violation): string {
  const place = part === undefined || part === 'body' ? path : `${part} ${path}`.trim();
  return place === '' ? message : `${place}: ${message}`;
}

/** The standard has no code, but the libraries do: Zod and ArkType as `code`, Valibot as `type`. */
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

/** 422: the content was read, and does not hold what it should. Its message has a line for each violation. */
export class ValidationError extends UnprocessableContentError {
  /** At most 100, in the order they were found. */
  declare readonly violations: readonly Violation[];
  /** How many there were before the list was cut. */
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

/** The schema's output for the value. Throws a `ValidationError` with every issue it finds. */
export async function validateValue<Output>(schema: StandardSchema<Output>, value: unknown): Promise<Output> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  throw new ValidationError(result.issues);
}

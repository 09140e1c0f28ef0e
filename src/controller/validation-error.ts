import { UnprocessableContentError } from '#errors';
import type { SchemaIssue } from './standard-schema.js';

/** One thing that is wrong with the content. */
export interface Violation {
  /** Where: `items[0].price`; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

const MAX_VIOLATIONS = 100;

/** 422: the content was read, and does not hold what it should. Its message has a line for each violation. */
export class ValidationError extends UnprocessableContentError {
  /** At most 100, in the order of the schema. */
  readonly violations: readonly Violation[];
  /** How many there were before the list was cut. */
  readonly count: number;

  constructor(issues: readonly SchemaIssue[]) {
    const violations = issues.slice(0, MAX_VIOLATIONS).map(toViolation);
    super(violations.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('\n'));
    this.violations = violations;
    this.count = issues.length;
  }

  static {
    // On the prototype: an own property would be listed with the error's data wherever errors are printed.
    Object.defineProperty(this.prototype, 'name', {
      value: 'ValidationError',
      configurable: true,
      writable: true,
    });
  }
}

function toViolation(issue: SchemaIssue): Violation {
  return { path: renderPath(issue.path ?? []), message: issue.message };
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

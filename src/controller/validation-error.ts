import type { Violation } from '#errors';
import { UnprocessableContentError } from '#errors';
import type { SchemaIssue } from './standard-schema.js';
import { describeViolation, toViolation } from './to-violation.js';

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
    // On the prototype: an own property would be listed with the error's data wherever errors are printed.
    Object.defineProperty(this.prototype, 'name', {
      value: 'ValidationError',
      configurable: true,
      writable: true,
    });
  }
}

function isViolation(issue: SchemaIssue | Violation): issue is Violation {
  return typeof issue.path === 'string';
}

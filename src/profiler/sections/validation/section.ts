import { type SectionDefinition, cleanTexts, defineSection } from '../define-section.js';
import type { Snapshot } from '#core/dump';

/** A record's `validation` section: schema validations, in order. */
export interface ValidationSection {
  readonly validations: readonly RecordedValidation[];
  /** Number of omitted validations. */
  readonly more: number;
}

export interface RecordedValidation {
  /** `path`, `query`, `header`, `body`, `form` (of `readForm`), `response` or `value`. */
  readonly source: string;
  readonly offsetMs: number;
  /** Empty if the schema accepted the value. */
  readonly violations: readonly RecordedViolation[];
  /** Number of omitted violations. */
  readonly more: number;
  /**
   * The rejected value without secrets; null if it was accepted, and for header fields, which the record has already.
   */
  readonly values: Snapshot | null;
}

export interface RecordedViolation {
  /** `address.city`; empty for the whole value. */
  readonly path: string;
  readonly message: string;
  readonly code: string;
  /** The value at the path; null if there is none. */
  readonly value: Snapshot | null;
}

const sources: Readonly<Record<string, string>> = {
  path: 'Route parameters',
  query: 'Query',
  header: 'Header fields',
  body: 'Body',
  form: 'Form',
  response: 'Result of the controller',
  value: 'Value of the application',
};

/** Names the validated source in words. */
export function sourceOf({ source }: Pick<RecordedValidation, 'source'>): string {
  return Object.hasOwn(sources, source) ? (sources[source] ?? source) : source;
}

export interface ValidationFacts {
  readonly validations: RecordedValidation[];
  more: number;
}

export const validationDefinition: SectionDefinition = defineSection<ValidationFacts>({
  id: 'validation',
  numbers: {
    violations: {
      kind: 'count',
      of: ({ validations }) => validations.reduce((sum, one) => sum + one.violations.length + one.more, 0),
    },
  },
  clean: ({ validations, more }, redactor) => ({
    validations: cleanTexts(validations, redactor, ['values', 'value']),
    more,
  }),
});

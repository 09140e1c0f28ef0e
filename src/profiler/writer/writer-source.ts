import { createRedactor, type RedactorOptions } from '#dump';
import { builtInParts } from './built-in-parts.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { SpanKind } from '../record/spans.js';
import { VisitorThreads } from '../redact/visitor-threads.js';
import type { WriterSource } from './writer-options.js';

/** What a writer must know of an application to make its records, as plain data. */
export interface SourceSettings {
  readonly redaction: RedactorOptions;
  readonly config: ProfileRecord['config'];
  readonly limits: { readonly requestBody: number; readonly responseBody: number };
  readonly bodyTypes?: readonly string[] | undefined;
  readonly hasSinks: boolean;
}

export function createWriterSource(
  { redaction, ...settings }: SourceSettings,
  kinds: readonly SpanKind[],
  failed: (error: unknown) => void,
): WriterSource {
  const redactor = createRedactor(redaction);
  return { ...settings, redactor, visitors: new VisitorThreads(), kinds, parts: builtInParts, failed };
}

import { safely } from '#core/coded-error';
import { createDump, createRedactor } from '#core/dump';
import { createSourceLoader } from '#core/errors';
import { toRecords } from '../../encoding/to-record.js';
import { VisitorThreads } from '../../encoding/visitor-threads.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { completedSections } from '../../sections/completed.js';
import { findFindings } from '../../sections/find-findings.js';
import type { Converter } from './writer-options.js';

export const converter: Converter = {
  createSource({ settings: { redaction, ...settings }, lasting }, shared) {
    const redactor = createRedactor(redaction);
    let config: ProfileRecord['config'] | undefined;
    return {
      ...settings,
      ...shared,
      // Read with the first record: the first use of `Intl` takes longer than many a request.
      get config() {
        return (config ??= { ...settings.config, ...localeFacts() });
      },
      redactor,
      snapshot: createDump({ redactor }),
      visitors: (lasting.visitors ??= new VisitorThreads()),
      definitions: completedSections,
      sources: createSourceLoader(),
      findFindings,
    };
  },
  toRecords,
  findFindings,
};

/** Process settings that affect dates and texts. */
function localeFacts(): ProfileRecord['config'] {
  const { timeZone, locale } = safely(() => Intl.DateTimeFormat().resolvedOptions(), noFormat);
  return {
    ...(timeZone !== undefined && { 'time zone': timeZone }),
    ...(locale !== undefined && { 'process locale': locale }),
  };
}

const noFormat: { readonly timeZone?: string; readonly locale?: string } = {};

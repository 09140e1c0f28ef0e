import type { Snapshot } from '#core/dump';
import { type SectionDefinition, cleanTexts, defineSection } from '../define-section.js';
import type { RecordedCallSite } from '../../model/find-location.js';

/** A record's `dump` section: the values passed to `dump()`. `file` is empty if no application line is known. */
export interface DumpSection {
  readonly dumps: readonly (RecordedCallSite & {
    readonly name: string;
    readonly label: string;
    readonly offsetMs: number;
    readonly value: Snapshot;
  })[];
  readonly more: number;
}

export interface Facts {
  readonly dumps: DumpSection['dumps'][number][];
  more: number;
}

export const dumpDefinition: SectionDefinition = defineSection<Facts>({
  id: 'dump',
  numbers: { count: { kind: 'count', of: ({ dumps }) => dumps.length, finding: 'dump' } },
  clean: ({ dumps, more }, redactor) => ({ dumps: cleanTexts(dumps, redactor, ['value']), more }),
});

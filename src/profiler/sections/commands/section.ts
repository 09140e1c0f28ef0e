import type { Snapshot } from '#core/dump';
import { type SectionDefinition, cleanTexts, defineSection } from '../define-section.js';

/** The `command` section of a record: the command of the application that the record is of. */
export interface CommandSection {
  readonly name: string;
  /** Values of the options by their names, and of the arguments by the names that the command declares; without secrets. */
  readonly options: Snapshot;
  readonly arguments: Snapshot;
  /** Null while it runs, and if a signal ended it. */
  readonly exitCode: number | null;
  /** The first signal that the process got meanwhile; empty if it got none. */
  readonly signal: string;
}

export const commandDefinition: SectionDefinition = defineSection<CommandSection>({
  id: 'command',
  numbers: { exitCode: { kind: 'count', of: ({ exitCode }) => exitCode ?? 0 } },
  clean: (section, redactor) => cleanTexts(section, redactor, ['options', 'arguments']),
});

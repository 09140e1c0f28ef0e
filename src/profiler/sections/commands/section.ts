import type { Snapshot } from '#core/dump';
import { type SectionDefinition, cleanTexts, defineSection } from '../define-section.js';

/** A record's `command` section: the application command that was recorded. */
export interface CommandSection {
  readonly name: string;
  /** Option values by option name, and argument values by the names the command declares; without secrets. */
  readonly options: Snapshot;
  readonly arguments: Snapshot;
  /** Null while it runs, or if a signal ended it. */
  readonly exitCode: number | null;
  /** First signal that the process received meanwhile; empty if none. */
  readonly signal: string;
}

export const commandDefinition: SectionDefinition = defineSection<CommandSection>({
  id: 'command',
  numbers: { exitCode: { kind: 'count', of: ({ exitCode }) => exitCode ?? 0 } },
  clean: (section, redactor) => cleanTexts(section, redactor, ['options', 'arguments']),
});

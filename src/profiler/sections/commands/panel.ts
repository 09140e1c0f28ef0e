import { pairsOf } from '../../view/make-facts.js';
import { mono, snapshotValue, styledText } from '../../view/make-values.js';
import { findSection } from '../define-section.js';
import type { Panel } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import type { CommandSection } from './section.js';

/** The application command that was recorded. */
export const commandPanel: Panel = createSectionPanel<CommandSection>({
  id: 'command',
  title: 'Command',
  fields: ['name', 'exitCode', 'signal'],
  badge: ({ exitCode }) =>
    exitCode === null || exitCode === 0
      ? 'plain'
      : { count: exitCode, tone: 'warn', words: `exit code ${exitCode}` },
  opens: (record) =>
    findSection<CommandSection>(record, 'command', ['name']) !== undefined && record.exception === null,
  none: 'This is not the record of a command. Commands declared with app.command and run with lookback NAME are recorded without setup.',
  show: (command) => [
    pairsOf('Command', [
      ['Command', mono(`lookback ${command.name}`)],
      ['Options', snapshotValue(command.options)],
      ['Arguments', snapshotValue(command.arguments)],
      ['Exit code', command.exitCode === null ? 'none' : command.exitCode],
      ['Signal', styledText(command.signal)],
    ]),
  ],
});

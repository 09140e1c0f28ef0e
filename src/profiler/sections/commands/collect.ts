import { createDump, type Snapshot, type Redactor } from '#core/dump';
import { createChannelCollector } from '../collect-messages.js';
import { countOrNull, messageText } from '../message-reader.js';
import type { CollectedSection } from '../section.js';
import { commandDefinition, type CommandSection } from './section.js';

interface Facts {
  name: string;
  options: Snapshot;
  arguments: Snapshot;
  exitCode: number | null;
  signal: string;
}

const absentSnapshot: Snapshot = { type: 'undefined' };

/** Creates the `command` collector, which records the framework's messages about a running command. */
export function createCommandCollector(redactor: Redactor): CollectedSection {
  const snapshot = createDump({ depth: 3, entries: 50, text: 1000, bytes: 8192, redactor });
  return createChannelCollector<Facts>({
    definition: commandDefinition,
    begin: () => ({
      name: '',
      options: absentSnapshot,
      arguments: absentSnapshot,
      exitCode: null,
      signal: '',
    }),
    channels: {
      'lookback:command:begin': (facts, { name, options, arguments: given }) => {
        facts.name = messageText(name, 200);
        facts.options = snapshot(options);
        facts.arguments = snapshot(given);
      },
      'lookback:command:end': (facts, { exitCode, signal }) => {
        facts.exitCode ??= countOrNull(exitCode);
        if (facts.signal === '') facts.signal = messageText(signal, 20);
      },
    },
    section: (facts): CommandSection | undefined => (facts?.name ? { ...facts } : undefined),
  });
}

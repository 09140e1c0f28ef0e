import { createDump, type Picture, type Redactor } from '#core/dump';
import { createChannelCollector } from '../collect-messages.js';
import { countOrNull, messageText } from '../message-reader.js';
import type { CollectedSection } from '../section.js';
import { commandDefinition, type CommandSection } from './section.js';

interface Facts {
  name: string;
  options: Picture;
  arguments: Picture;
  exitCode: number | null;
  signal: string;
}

const absentPicture: Picture = { type: 'undefined' };

/** Creates the `command` collector of what the framework publishes about a running command. */
export function createCommandCollector(redactor: Redactor): CollectedSection {
  const picture = createDump({ depth: 3, entries: 50, text: 1000, bytes: 8192, redactor });
  return createChannelCollector<Facts>({
    definition: commandDefinition,
    begin: () => ({ name: '', options: absentPicture, arguments: absentPicture, exitCode: null, signal: '' }),
    channels: {
      'lookback:command:begin': (facts, { name, options, arguments: given }) => {
        facts.name = messageText(name, 200);
        facts.options = picture(options);
        facts.arguments = picture(given);
      },
      'lookback:command:end': (facts, { exitCode, signal }) => {
        facts.exitCode ??= countOrNull(exitCode);
        if (facts.signal === '') facts.signal = messageText(signal, 20);
      },
    },
    section: (facts): CommandSection | undefined => (facts?.name ? { ...facts } : undefined),
  });
}

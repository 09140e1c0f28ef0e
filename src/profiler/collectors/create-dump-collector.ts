import { pathOfFile } from '#errors';
import { createDump, createRedactor, type Redactor } from '#dump';
import { definePart } from '../form/define-part.js';
import type { InputOf, OutputOf } from '../form/form.js';
import {
  type ChannelMessage,
  createChannelCollector,
  type ListeningCollector,
} from './create-channel-collector.js';
import { countOf, messagesOf, messageText } from './message-reader.js';

const form = {
  dumps: [
    {
      label: 'text',
      offsetMs: 'ms',
      value: 'taken',
      name: 'word',
      file: 'word',
      line: 'count',
      column: 'count',
    },
  ],
  // Number of omitted dumps.
  more: 'count',
} as const;

/** The `dump` section of a record: the values passed to `dump()`. `file` is empty if no line of the application is known. */
export type DumpSection = OutputOf<typeof form>;
type Facts = InputOf<typeof form>;

const maxDumps = 100;
const maxLabelLength = 200;
const limits = { depth: 6, entries: 60, text: 2000, nodes: 500, bytes: 16_384, milliseconds: 5 };

/** Creates the `dump` collector of values passed to `dump()`. */
export function createDumpCollector({
  redactor = createRedactor(),
}: { readonly redactor?: Redactor } = {}): ListeningCollector {
  const picture = createDump({ ...limits, redactor });
  return createChannelCollector<{ -readonly [Name in keyof Facts]: Facts[Name] }>({
    name: 'dump',
    part: definePart(form, {
      summary: { count: { kind: 'count', of: ({ dumps }) => dumps.length, finding: 'dump' } },
    }),
    begin: () => ({ dumps: [], more: 0 }),
    channels: {
      'lookback:dump': (facts, { value, label, sites }, { startedAt }) => {
        if (facts.dumps.length >= maxDumps) {
          facts.more++;
          return;
        }
        facts.dumps = [
          ...facts.dumps,
          {
            label: redactor.text(messageText(label).slice(0, maxLabelLength)),
            offsetMs: Math.max(0, performance.now() - startedAt),
            value: picture(value),
            ...placeOf(sites),
          },
        ];
      },
    },
    section: (facts) => facts,
  });
}

/** Returns the place of the call to `dump()`. It is empty for messages of other publishers that do not contain one. */
function placeOf(sites: unknown): Pick<Facts['dumps'][number], 'name' | 'file' | 'line' | 'column'> {
  const found: unknown = typeof sites === 'function' ? Reflect.apply(sites, undefined, []) : undefined;
  const [{ name, file, line, column } = {} as ChannelMessage] = messagesOf(found); // a message without fields
  const path = messageText(file);
  return {
    name: messageText(name),
    file: pathOfFile(path),
    line: countOf(line),
    column: countOf(column),
  };
}

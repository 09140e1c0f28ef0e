import { pathOfFile } from '#core/errors';
import { type Redactor, createDump, createRedactor } from '#core/dump';
import { createChannelCollector } from '../collect-messages.js';
import type { CollectedSection } from '../section.js';
import type { RecordedCallSite } from '../../model/find-location.js';
import { callSiteOf, messageText } from '../message-reader.js';
import { type Facts, dumpDefinition } from './section.js';

const maxDumps = 100;

const maxLabelLength = 200;

const limits = { depth: 6, entries: 60, text: 2000, bytes: 16_384, milliseconds: 5 };

export function createDumpCollector({
  redactor = createRedactor(),
}: { readonly redactor?: Redactor } = {}): CollectedSection {
  const snapshot = createDump({ ...limits, redactor });
  return createChannelCollector<Facts>({
    definition: dumpDefinition,
    begin: () => ({ dumps: [], more: 0 }),
    channels: {
      'lookback:dump': (facts, { value, label, sites }, { startedAt }) => {
        if (facts.dumps.length >= maxDumps) {
          facts.more++;
          return;
        }
        facts.dumps.push({
          label: messageText(label, maxLabelLength),
          offsetMs: Math.max(0, performance.now() - startedAt),
          value: snapshot(value),
          ...locationTextOf(sites),
        });
      },
    },
    section: (facts) => facts,
  });
}

/** Returns where `dump()` was called; empty for other publishers' messages without a location. */
function locationTextOf(sites: unknown): RecordedCallSite & { readonly name: string } {
  const found: unknown = typeof sites === 'function' ? Reflect.apply(sites, undefined, []) : undefined;
  const [{ name, file, line, column } = noSite] = callSiteOf(found);
  return { name: name ?? '', file: pathOfFile(file), line, column };
}

const noSite: RecordedCallSite = { name: null, file: '', line: 0, column: 0 };

import { createDump, createRedactor, type Redactor } from '#dump';
import { createChannelCollector, type ListeningCollector } from './create-channel-collector.js';
import { DbFacts, type KnownTexts, valueLimits } from './db-facts.js';
import { dbPart } from './db-part.js';
import { MessageReader } from './message-reader.js';
import { Statements } from './statements.js';

/** Records the database queries of requests, under `db`. Listens once for the whole process, from its creation on. */
export function createDbCollector({
  redactor = createRedactor(),
}: { readonly redactor?: Redactor } = {}): ListeningCollector {
  const known: KnownTexts = {
    statements: new Statements(redactor),
    reader: new MessageReader(redactor),
    picture: createDump({ ...valueLimits, redactor }),
  };
  return createChannelCollector<DbFacts>({
    name: 'db',
    part: dbPart,
    begin: () => new DbFacts(known),
    channels: {
      'lookback:persistence:query': (facts, message, { startedAt }) => facts.addQuery(message, startedAt),
      'lookback:persistence:flush': (facts, message) => facts.addFlush(message),
      'lookback:persistence:change': (facts, message) => facts.addChange(message),
      'lookback:persistence:unflushed': (facts, message) => facts.addUnflushed(message),
      'lookback:persistence:transaction': (facts, message) => facts.addTransaction(message),
    },
    section: (facts) => facts?.kept(),
  });
}

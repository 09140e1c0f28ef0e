import { createDump, createRedactor, type Redactor } from '#dump';
import { createChannelCollector, type ListeningCollector } from './create-channel-collector.js';
import { DbFacts, type DbServices, valueLimits } from './db-facts.js';
import { dbPart } from './db-part.js';
import { MessageReader } from './message-reader.js';
import { Statements } from './statements.js';

/** Creates the `db` collector of database queries. It is subscribed for the whole process, from its creation until `close`. */
export function createDbCollector({
  redactor = createRedactor(),
}: { readonly redactor?: Redactor } = {}): ListeningCollector {
  const services: DbServices = {
    statements: new Statements(redactor),
    reader: new MessageReader(redactor),
    picture: createDump({ ...valueLimits, redactor }),
  };
  return createChannelCollector<DbFacts>({
    name: 'db',
    part: dbPart,
    begin: () => new DbFacts(services),
    channels: {
      'lookback:persistence:query': (facts, message, { startedAt }) => facts.addQuery(message, startedAt),
      'lookback:persistence:flush': (facts, message) => facts.addFlush(message),
      'lookback:persistence:change': (facts, message) => facts.addChange(message),
      'lookback:persistence:unflushed': (facts, message) => facts.addUnflushed(message),
      'lookback:persistence:transaction': (facts, message) => facts.addTransaction(message),
    },
    section: (facts) => facts?.toInput(),
  });
}

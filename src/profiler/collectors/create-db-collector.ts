import { createDump, createRedactor, type Redactor } from '#dump';
import { createChannelCollector, type ListeningCollector } from './create-channel-collector.js';
import { DbFacts, type DbServices, valueLimits } from './db-facts.js';
import { dbPart } from './db-part.js';
import { MessageReader, positiveNumber } from './message-reader.js';
import { Statements } from './statements.js';

const queryChannel = 'lookback:persistence:query';

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
      [queryChannel]: (facts, message, { startedAt }) => facts.addQuery(message, startedAt),
      'lookback:persistence:flush': (facts, message) => facts.addFlush(message),
      'lookback:persistence:change': (facts, message) => facts.addChange(message),
      'lookback:persistence:unflushed': (facts, message) => facts.addUnflushed(message),
      'lookback:persistence:transaction': (facts, message) => facts.addTransaction(message),
    },
    late: ({ sql, durationMs, callSite }, channel) =>
      channel !== queryChannel || typeof sql !== 'string'
        ? undefined
        : {
            kind: 'query',
            text: services.statements.take(sql).sql,
            startedAt: performance.now() - positiveNumber(durationMs),
            callSite: services.reader.callSite(callSite),
          },
    section: (facts) => facts?.toInput(),
  });
}

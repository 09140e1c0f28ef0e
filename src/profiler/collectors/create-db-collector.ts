import { createDump, createRedactor, type Redactor } from '#dump';
import { CleanWords } from '../redact/clean-words.js';
import { createChannelCollector, type ListeningCollector } from './create-channel-collector.js';
import { DbFacts, valueLimits } from './db-facts.js';
import {
  parseChangeMessage,
  parseFlushMessage,
  parseQueryMessage,
  parseTransactionMessage,
} from './db-messages.js';
import { dbPart } from './db-part.js';
import { Statements } from './statements.js';

/** Keeps what a request asks its databases, under `db`. Listens once for the whole process, from its making on. */
export function createDbCollector({
  redactor = createRedactor(),
}: { readonly redactor?: Redactor } = {}): ListeningCollector {
  const words = new CleanWords(redactor);
  const known = {
    statements: new Statements(redactor),
    words,
    picture: createDump({ ...valueLimits, redactor }),
  };
  return createChannelCollector<DbFacts>({
    name: 'db',
    part: dbPart,
    begin: () => new DbFacts(redactor, known),
    channels: {
      'lookback:persistence:query': (facts, message, { startedAt }) => {
        const query = parseQueryMessage(message);
        if (query !== undefined) facts.addQuery(query, startedAt);
      },
      'lookback:persistence:flush': (facts, message) => {
        const flush = parseFlushMessage(message);
        if (flush !== undefined) facts.addFlush(flush);
      },
      'lookback:persistence:change': (facts, message) => {
        const change = parseChangeMessage(message);
        if (change !== undefined) facts.addChange(change);
      },
      'lookback:persistence:transaction': (facts, message) => {
        const transaction = parseTransactionMessage(message);
        if (transaction !== undefined) facts.addTransaction(transaction);
      },
    },
    section: (facts) => facts?.kept(),
  });
}

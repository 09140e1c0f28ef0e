import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createDump, createRedactor } from '#dump';
import type { Redactor } from '#dump';
import { createScopeKey } from '#scope';
import type { Collector } from '../model/collector.js';
import type { Recording } from '../model/recording.js';
import { currentRecording } from '../taps/current-recording.js';
import { CleanWords } from '../redact/clean-words.js';
import { DbFacts, valueLimits } from './db-facts.js';
import { dbPart } from './db-part.js';
import { Statements } from './statements.js';
import {
  parseChangeMessage,
  parseFlushMessage,
  parseQueryMessage,
  parseTransactionMessage,
} from './db-messages.js';

export interface DbCollectorOptions {
  readonly redactor?: Redactor;
}

export interface DbCollector extends Collector {
  /** Listens no longer. */
  close(): void;
}

/** Keeps what a request asks its databases, under `db`. Listens once for the whole process, from its making on. */
export function createDbCollector({ redactor = createRedactor() }: DbCollectorOptions = {}): DbCollector {
  const gathered = createScopeKey<DbFacts>('facts of db');
  const words = new CleanWords(redactor);
  const known = {
    statements: new Statements(redactor),
    words,
    picture: createDump({ ...valueLimits, redactor }),
  };
  const factsOf = ({ request: { scope } }: Recording): DbFacts => {
    let facts = scope.getOwn(gathered);
    if (facts === undefined) scope.set(gathered, (facts = new DbFacts(redactor, known)));
    return facts;
  };
  const listen = <Fact>(
    parse: (message: unknown) => Fact | undefined,
    add: (facts: DbFacts, fact: Fact, recording: Recording) => void,
  ) => {
    return (message: unknown): void => {
      try {
        const recording = currentRecording();
        if (recording === undefined) return;
        const fact = parse(message);
        if (fact !== undefined) add(factsOf(recording), fact, recording);
      } catch {
        // Thrown here it would end the process. A message that cannot be read is not kept.
      }
    };
  };
  const listeners: readonly (readonly [string, (message: unknown) => void])[] = [
    [
      'lookback:persistence:query',
      listen(parseQueryMessage, (target, fact, { startedAt }) => target.addQuery(fact, startedAt)),
    ],
    ['lookback:persistence:flush', listen(parseFlushMessage, (target, fact) => target.addFlush(fact))],
    ['lookback:persistence:change', listen(parseChangeMessage, (target, fact) => target.addChange(fact))],
    [
      'lookback:persistence:transaction',
      listen(parseTransactionMessage, (target, fact) => target.addTransaction(fact)),
    ],
  ];
  for (const [channel, listener] of listeners) subscribe(channel, listener);
  return {
    name: 'db',
    part: dbPart,
    collect: ({ request }) => request.scope.getOwn(gathered)?.kept(),
    close() {
      for (const [channel, listener] of listeners) unsubscribe(channel, listener);
    },
  };
}

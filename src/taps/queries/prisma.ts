import { fieldOf } from '../source/fields.js';
import { takeMoment } from '../source/moment.js';
import { publishQuery } from './query-under-way.js';

/** Taps a client of Prisma by its query events. The client needs the option `log: [{ emit: 'event', level: 'query' }]`. */
export function tapPrisma(client: object): (() => void) | undefined {
  const on = fieldOf(client, '$on');
  if (typeof on !== 'function') return undefined;
  let isTapped = true;
  const onQuery = (event: unknown): void => {
    const sql = fieldOf(event, 'query');
    const moment = isTapped ? takeMoment() : undefined;
    if (moment === undefined || typeof sql !== 'string') return;
    const durationMs = fieldOf(event, 'duration');
    const params = readParams(fieldOf(event, 'params'));
    publishQuery(
      { sql, params },
      { system: 'prisma', moment, ...(typeof durationMs === 'number' ? { durationMs } : {}) },
    );
  };
  Reflect.apply(on, client, ['query', onQuery]);
  return () => {
    isTapped = false; // Prisma cannot remove a listener
  };
}

/** Parses the parameters, which Prisma reports as a JSON list. */
function readParams(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return [text];
  }
}

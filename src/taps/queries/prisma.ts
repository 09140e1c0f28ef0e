import { fieldOf } from '../source/fields.js';
import { takeMoment } from '../source/moment.js';
import { publishQuery } from './query-under-way.js';

/** A client of Prisma that was made with `log: [{ emit: 'event', level: 'query' }]`, by those events. */
export function tapPrisma(client: object): (() => void) | undefined {
  const on = fieldOf(client, '$on');
  if (typeof on !== 'function') return undefined;
  let isTapped = true;
  const asked = (event: unknown): void => {
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
  Reflect.apply(on, client, ['query', asked]);
  return () => {
    isTapped = false; // Prisma takes no listener back
  };
}

/** A list as JSON. */
function readParams(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return [text];
  }
}

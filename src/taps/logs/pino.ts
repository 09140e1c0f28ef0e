import type { LogLevel } from '#log';
import { listenTo } from '../source/listen-to.js';
import { fieldOf } from '../source/fields.js';
import { writeLine } from './write-line.js';

const levels: readonly (readonly [from: number, level: LogLevel])[] = [
  [60, 'critical'],
  [50, 'error'],
  [40, 'warning'],
  [30, 'info'],
  [0, 'debug'],
];

/** pino from 9.8 on, by its channel: what each line was made of. */
export function listenToPino(): () => void {
  return listenTo({
    'tracing:pino_asJson:start'(message) {
      const args = fieldOf(message, 'arguments');
      const [object, text, number] = [0, 1, 2].map((at) => fieldOf(args, String(at)));
      const level = levels.find(([from]) => typeof number === 'number' && number >= from)?.[1] ?? 'info';
      const context =
        typeof object === 'object' && object !== null && Object.keys(object).length > 0 ? object : undefined;
      const error = object instanceof Error ? { error: object } : context;
      const said = typeof text === 'string' ? text : object instanceof Error ? object.message : '';
      writeLine({ level, channel: 'pino', message: said, context: error });
    },
  });
}

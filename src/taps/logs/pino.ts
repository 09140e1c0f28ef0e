import { isError } from '#errors';
import type { LogLevel } from '#log';
import { listenTo } from '../source/listen-to.js';
import { fieldOf, textField, ownData } from '../source/fields.js';
import { writeLine } from './write-line.js';

const levels: readonly (readonly [from: number, level: LogLevel])[] = [
  [60, 'critical'],
  [50, 'error'],
  [40, 'warning'],
  [30, 'info'],
  [0, 'debug'],
];

/** Characters of a line that is read again; of longer ones the object is kept that it was made of. */
const maxLine = 65_536;

/** pino from 9.8 on, by its channel: each line as it is written, so that what the application hides or shortens is so in the record. */
export function listenToPino(): () => void {
  return listenTo({
    'tracing:pino_asJson:end'(message) {
      const args = fieldOf(message, 'arguments');
      const [object, text, number] = [0, 1, 2].map((at) => fieldOf(args, String(at)));
      const level = levels.find(([from]) => typeof number === 'number' && number >= from)?.[1] ?? 'info';
      const fields = ownData(object) ?? {};
      const error = isError(object) ? { err: object } : {};
      writeLine({
        level,
        channel: 'pino',
        message: typeof text === 'string' ? text : textField(error.err, 'message'),
        context: { ...(readLine(textField(message, 'result')) ?? fields), ...errorsOf(fields), ...error },
      });
    },
  });
}

/** Errors themselves: pino writes their texts. */
function errorsOf(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isError(value)));
}

/** What a line says beside what each of them does; undefined of what is no JSON. */
export function readLine(line: string): Readonly<Record<string, unknown>> | undefined {
  if (line.length > maxLine) return undefined;
  try {
    const fields = JSON.parse(line) as Record<string, unknown>; // an object, as pino writes them
    for (const name of ['level', 'time', 'pid', 'hostname', 'msg']) delete fields[name];
    return 'req' in fields ? { ...fields, req: shortRequest(fields['req']) } : fields;
  } catch {
    return undefined;
  }
}

/** A request that a logger carries along stands in each of its lines; the record has the rest of it. */
function shortRequest(req: unknown): unknown {
  const [id, method, url] = ['id', 'method', 'url'].map((name) => fieldOf(req, name));
  if (typeof method !== 'string' || typeof url !== 'string') return req;
  return id === undefined ? { method, url } : { id, method, url };
}

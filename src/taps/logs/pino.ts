import { isError } from '#errors';
import { listenTo } from '../source/listen-to.js';
import { fieldOf, textField, ownData } from '../source/fields.js';
import { levelOf, writeLine } from './write-line.js';

/** Maximum length of a line to parse. For longer lines, the logged object is recorded instead. */
const maxLine = 65_536;

/**
 * Listens to the channel of pino (from 9.8 on). Records each line as it is written, so that values redacted or shortened
 * by the application are so in the record as well.
 */
export function listenToPino(): () => void {
  return listenTo({
    'tracing:pino_asJson:end'(message) {
      const args = fieldOf(message, 'arguments');
      const [object, text, number] = [0, 1, 2].map((at) => fieldOf(args, String(at)));
      const fields = ownData(object) ?? {};
      const error = isError(object) ? { err: object } : {};
      lastLine = textField(message, 'result');
      writeLine({
        level: levelOf(number),
        channel: 'pino',
        message: typeof text === 'string' ? text : textField(error.err, 'message'),
        context: { ...(readLine(lastLine) ?? fields), ...errorsOf(fields), ...error },
      });
    },
  });
}

let lastLine = ''; // of pino, until it is written

/** Returns whether a text is the line that pino has just made. */
export function isLineOfPino(text: string): boolean {
  return text === lastLine;
}

/** Returns the errors among the logged fields: the line has only their text. */
function errorsOf(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isError(value)));
}

/** Parses a line and removes the fields that every line has; returns undefined if it is not JSON. */
export function readLine(line: string): Readonly<Record<string, unknown>> | undefined {
  const parsed = parseLine(line);
  if (parsed === undefined) return undefined;
  const { level: _level, msg: _text, ...fields } = parsed;
  return fields;
}

/** Parses a line of pino or bunyan without time and process; returns undefined if it is not JSON. */
export function parseLine(line: string): Readonly<Record<string, unknown>> | undefined {
  if (line.length > maxLine || !line.startsWith('{')) return undefined;
  try {
    const fields = JSON.parse(line) as Record<string, unknown>; // begins as an object
    for (const name of ['time', 'pid', 'hostname']) delete fields[name];
    return 'req' in fields ? { ...fields, req: shortRequest(fields['req']) } : fields;
  } catch {
    return undefined;
  }
}

/** Shortens a request that a logger repeats in every line; the record has its other properties. */
function shortRequest(req: unknown): unknown {
  const [id, method, url] = ['id', 'method', 'url'].map((name) => fieldOf(req, name));
  if (typeof method !== 'string' || typeof url !== 'string') return req;
  return id === undefined ? { method, url } : { id, method, url };
}

import { isError } from '#core/errors';
import { isWrittenQuietly } from '#core/log';
import { replaceMethod, type Undo, undoAll } from '#core/patches';
import { currentRecording } from '#profiler';
import { fieldOf, ownData, textField } from '../source/fields.js';
import { listenTo } from '../source/listen-to.js';
import { isPrintedWarning } from './node-warnings.js';
import { levelOf, messageOfError, recordLogLine } from './record-log-line.js';

/** Maximum length of a line to parse. For longer lines, the logged object is recorded instead. */
const maxLine = 65_536;

/** Listens to pino (from 9.8 on): lines as written, with the application's redaction and truncation. */
export function listenToPino(): () => void {
  return listenTo({
    'tracing:pino_asJson:end'(message) {
      const args = fieldOf(message, 'arguments');
      const [object, text, number] = [0, 1, 2].map((at) => fieldOf(args, String(at)));
      const fields = ownData(object) ?? {};
      const error = isError(object) ? { err: object } : {};
      // For errors among the fields, the line only contains their text.
      const errors = Object.fromEntries(Object.entries(fields).filter(([, value]) => isError(value)));
      lastLine = textField(message, 'result');
      const { level: _level, msg: _text, ...written } = parseLine(lastLine) ?? fields;
      recordLogLine({
        level: levelOf(number),
        channel: 'pino',
        message: typeof text === 'string' ? text : messageOfError(error.err),
        context: { ...written, ...errors, ...error },
      });
    },
  });
}

let lastLine = ''; // pino's last line, until it is written

/** Parses a pino or bunyan line without time and process; undefined if it is not JSON. */
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

/** Shortens a request that a logger repeats in every line, because the record has its other properties. */
function shortRequest(req: unknown): unknown {
  const [id, method, url] = ['id', 'method', 'url'].map((name) => fieldOf(req, name));
  if (typeof method !== 'string' || typeof url !== 'string') return req;
  return id === undefined ? { method, url } : { id, method, url };
}

// oxlint-disable-next-line no-control-regex -- the expression searches for terminal escape sequences
const colours = /\u001b\[[\d;]{0,20}m/g;
const maxLength = 8000;
const maxLines = 20;

/**
 * Records output from loggers without an instrumentation (bunyan, debug …). Started at the first request, because reading `process.stdout`
 * opens it.
 */
export function instrumentOutput(): Undo {
  return undoAll(
    (['stdout', 'stderr'] as const).map((name) =>
      replaceMethod(process[name], 'write', (former, args, self) => {
        if (!isWrittenQuietly() && currentRecording() !== undefined) recordText(args[0], name);
        return Reflect.apply(former, self, args);
      }),
    ),
  );
}

function recordText(written: unknown, channel: string): void {
  const text = written instanceof Uint8Array ? Buffer.from(written).toString() : written;
  if (typeof text !== 'string' || text === lastLine || isPrintedWarning(text)) return;
  // Stack lines belong to their error's line.
  const lines = text
    .slice(0, maxLength)
    .replace(colours, '')
    .split(/\n(?![ \t]{1,99}at )/);
  for (const line of lines.filter((one) => one.trim() !== '').slice(0, maxLines)) {
    const { msg, level, name, v: _version, ...context } = parseLine(line) ?? {};
    if (typeof msg === 'string' && typeof level === 'number')
      recordLogLine({
        level: levelOf(level),
        channel: typeof name === 'string' ? name : channel,
        message: msg,
        context,
      });
    else {
      const [, word] = /\[([A-Z]{4,7})\]/.exec(line.slice(0, 80)) ?? []; // as log4js writes levels: `[ERROR]`
      recordLogLine({ level: levelOf(word), channel, message: line });
    }
  }
}

import { format, types } from 'node:util';
import { isLogLevel, isWrittenQuietly, type LogLevel, type LogRecord } from '#core/log';
import { currentRecording, type Recording } from '#profiler';
import { asOwnTime } from '#core/scope';
import { captureCallSites, describeThrown, errorMessage, isError } from '#core/errors';
import { fieldOf, ownData } from '../source/fields.js';

/** Adds a line from the application's own logger to the current request's record, with the call's source position. */
export function recordLogLine(
  line: Pick<LogRecord, 'level' | 'channel' | 'message'> & { readonly context?: unknown },
): void {
  const recording = currentRecording();
  if (recording === undefined || isWrittenQuietly()) return;
  asOwnTime(() => record(line, recording));
}

function record(
  { level, channel, message, context }: Parameters<typeof recordLogLine>[0],
  recording: Recording,
): void {
  // The caller is usually within a few frames; capturing all of a framework's frames takes 50 % longer.
  const capture = (depth: number) => captureCallSites(recordLogLine, { depth, limit: 1 })()[0];
  const location = recording.isLogFull ? undefined : (capture(14) ?? capture(30));
  const source =
    location === undefined ? {} : { source: `${location.file}:${location.line}:${location.column}` };
  const fields = { ...fieldsOf(context), ...source };
  recording.log({
    time: Date.now(),
    level,
    channel,
    message,
    context: Object.keys(fields).length === 0 ? undefined : fields,
  });
}

/** pino's and bunyan's numeric levels. */
const numbered: readonly (readonly [from: number, level: LogLevel])[] = [
  [60, 'critical'],
  [50, 'error'],
  [40, 'warning'],
  [30, 'info'],
  [0, 'debug'],
];
/** Level names of other loggers. All others (`log`, `http`) count as information. */
const named: ReadonlyMap<string, LogLevel> = new Map([
  ['trace', 'debug'],
  ['verbose', 'debug'],
  ['silly', 'debug'],
  ['warn', 'warning'],
  ['fatal', 'critical'],
]);

export function levelOf(given: unknown): LogLevel {
  if (typeof given === 'number') return numbered.find(([from]) => given >= from)?.[1] ?? 'info';
  const name = typeof given === 'string' ? given.toLowerCase() : '';
  return isLogLevel(name) ? name : (named.get(name) ?? 'info');
}

/** Returns a context object's fields; any other value becomes the field `values`. */
function fieldsOf(context: unknown): Readonly<Record<string, unknown>> {
  if (context === undefined) return {};
  const fields = ownData(context) ?? { values: context };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shortened(value)]));
}

/**
 * Reduces HTTP messages from Node and frameworks to a few fields, because dumping their sockets and servers would take
 * milliseconds.
 */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > maxListed ? value : value.map(shortened);
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return value;
  const raw: unknown = Object.getOwnPropertyDescriptor(value, 'raw')?.value ?? value;
  if (typeof raw !== 'object' || raw === null || types.isProxy(raw)) return value;
  // Server and client messages, HTTP/1.1 and HTTP/2.
  if ('httpVersion' in raw && 'rawHeaders' in raw) {
    const [method, url, statusCode] = ['method', 'url', 'statusCode'].map((name) => fieldOf(raw, name));
    return typeof method === 'string' ? { method, url: fieldOf(raw, 'originalUrl') ?? url } : { statusCode };
  }
  return 'writeHead' in raw && 'statusCode' in raw ? { statusCode: raw.statusCode } : value;
}

/** Longer lists are data and not searched for messages. */
const maxListed = 20;

/** Splits logged values: primitive values form the message, all others its context. */
export function splitValues(values: readonly unknown[]): {
  readonly message: string;
  readonly context: { readonly values: readonly unknown[] } | undefined;
} {
  const others = values.filter((value) => !isSimple(value));
  const primitives = values.filter(isSimple);
  // Placeholders (`%s`) are filled in as by the console, but only if no value is an object.
  const message = others.length === 0 ? format(...primitives) : primitives.map(String).join(' ');
  const context = others.length === 0 ? undefined : { values: others };
  return { message: message || messageOfError(others[0]), context };
}

/** Returns the message from an error logged without text, or its class if it has none; empty for other values. */
export function messageOfError(value: unknown): string {
  return isError(value) ? errorMessage(value) || describeThrown(value) : '';
}

function isSimple(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    typeof value === 'bigint'
  );
}

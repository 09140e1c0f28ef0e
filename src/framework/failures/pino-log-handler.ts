import { createRedactor, dump, findData, renderPictureText } from '#dump';
import { renderErrorTerminal } from '#errors';
import type { LogHandler, LogLevel } from '#log';
import { reportAsOne } from '#scope';
import { logReport } from './thrown-report.js';

type PinoLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** The part of the API of a pino logger that is used. */
export type PinoLogger = Readonly<Record<PinoLevel, (fields: object, message: string) => void>>;

const levels: Readonly<Record<LogLevel, PinoLevel>> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'fatal',
  alert: 'fatal',
  emergency: 'fatal',
};
const redactor = createRedactor();
/** Maximum number of context fields that are written. */
const maxFields = 50;

/**
 * Creates a handler that passes log records to pino: `createApp({ logHandlers: [createPinoHandler(pino())] })`. The fields
 * are `channel`, `requestId`, the fields of the context, and its `error` as pino's `err` (type, message, and the stack with
 * all causes). Secrets are hidden. `severity` is the level of RFC 5424 if pino has no corresponding level.
 */
export function createPinoHandler(pino: PinoLogger): LogHandler {
  return {
    handle({ level, channel, message, context, requestId }) {
      const error = typeof context === 'object' && context !== null ? findData(context, 'error') : undefined;
      const name = levels[level];
      const fields = {
        channel,
        ...(requestId === undefined ? {} : { requestId }),
        ...(isSame(level, name) ? {} : { severity: level }),
        ...pinoFields(context),
        ...(error === undefined ? {} : { err: errorFields(error) }),
      };
      // The record already has this line; a tap for pino must not add it again.
      reportAsOne(() => pino[name](fields, redactor.text(message)));
    },
  };
}

function isSame(level: LogLevel, name: PinoLevel): boolean {
  return level === name || (level === 'warning' && name === 'warn');
}

/** Returns the fields of a context: primitive values unchanged, anything else as a textual snapshot. */
function pinoFields(context: unknown): Readonly<Record<string, unknown>> {
  if (typeof context !== 'object' || context === null)
    return context === undefined ? {} : { context: pinoMessage(context) };
  const { entries = [] } = dump(context, { redactor });
  const names = entries
    .slice(0, maxFields)
    .flatMap(({ key }) => (typeof key === 'string' && key !== 'error' ? [key] : []));
  return Object.fromEntries(names.map((name) => [name, fieldOf(name, findData(context, name))]));
}

function fieldOf(name: string, value: unknown): unknown {
  if (redactor.isSecretName(name)) return redactor.value(name, '');
  if (typeof value === 'string') return redactor.value(name, value);
  return typeof value === 'number' || typeof value === 'boolean' || value === null
    ? value
    : pinoMessage(value);
}

function pinoMessage(value: unknown): string {
  return renderPictureText(dump(value, { redactor }));
}

function errorFields(error: unknown): object {
  const report = logReport(error, { redactor });
  const { class: name, message } = report;
  // Without a prototype, pino's serializer uses `name` as the type.
  return { __proto__: null, type: name, name, message, stack: renderErrorTerminal(report) };
}

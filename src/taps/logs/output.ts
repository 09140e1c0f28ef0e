import { isWrittenQuietly } from '#log';
import { replaceMethod, type Undo, undoAll } from '#patches';
import { currentRecording } from '#profiler';
import { isLineOfPino, parseLine } from './pino.js';
import { levelOf, writeLine } from './write-line.js';

// oxlint-disable-next-line no-control-regex -- the expression searches for escape sequences of terminals
const colours = /\u001b\[[\d;]{0,20}m/g;
/** Characters of one write that are recorded. */
const maxLength = 8000;
const maxLines = 20;

/**
 * Records what is written to the standard output and error without any logger that has a tap of its own: lines of bunyan,
 * log4js, debug, morgan and the like. Called when a request begins, because reading `process.stdout` opens it.
 */
export function tapOutput(): Undo {
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
  if (typeof text !== 'string' || isLineOfPino(text)) return;
  const lines = text.slice(0, maxLength).replace(colours, '').split('\n');
  for (const line of lines.filter((one) => one.trim() !== '').slice(0, maxLines)) {
    const { msg, level, name, v: _version, ...context } = parseLine(line) ?? {};
    if (typeof msg === 'string' && typeof level === 'number')
      writeLine({
        level: levelOf(level),
        channel: typeof name === 'string' ? name : channel,
        message: msg,
        context,
      });
    else {
      const [, word] = /\[([A-Z]{4,7})\]/.exec(line.slice(0, 80)) ?? []; // as log4js names levels: `[ERROR]`
      writeLine({ level: levelOf(word), channel, message: line });
    }
  }
}

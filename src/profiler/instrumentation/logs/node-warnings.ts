import { errorMessage, isApplicationFile, isError, parseStack } from '#core/errors';
import { currentRecording } from '#profiler';
import { fieldOf, textField } from '../source/fields.js';

/** Maximum number of calls of a stack that are kept, and of characters of a text. */
const maxCalls = 20;
const maxText = 2000;

/** First line of the warning that is being announced: Node prints it after the listeners before its own. */
let announced: string | undefined;

/**
 * Records what Node warns of (deprecations, experimental features, listeners that leak, the application's own
 * `process.emitWarning`) in the record of the request that caused it, whether or not Node prints it.
 */
export function instrumentNodeWarnings(): () => void {
  process.prependListener('warning', note);
  return () => void process.off('warning', note);
}

/** Returns whether a text is what Node prints of the warning that was recorded just now. */
export function isPrintedWarning(text: unknown): boolean {
  return (
    announced !== undefined &&
    typeof text === 'string' &&
    text.startsWith(`(${process.release.name}:${process.pid}) `) &&
    text.includes(announced)
  );
}

function note(warning: unknown): void {
  try {
    const recording = currentRecording();
    // What is emitted as a warning but is no error, Node does not print either.
    if (recording === undefined || !isError(warning)) return;
    const [message, name] = [errorMessage(warning), textField(warning, 'name') || 'Warning'];
    announced = message.split('\n', 1).join();
    process.nextTick(() => (announced = undefined)); // by then, Node has printed it
    recording.log({
      time: Date.now(),
      level: 'warning',
      channel: 'node', // by level and channel, the profiler counts them apart
      message: `${name}: ${message}`.slice(0, maxText),
      context: contextOf(warning, message),
    });
  } catch {
    // A listener that throws would end the process.
  }
}

function contextOf(warning: object, message: string): Record<string, unknown> {
  const context: Record<string, unknown> = {};
  const [code, detail] = [fieldOf(warning, 'code'), textField(warning, 'detail')];
  if (typeof code === 'string' || typeof code === 'number') context['code'] = code;
  if (detail !== '') context['detail'] = detail.slice(0, maxText);
  const { frames, more } = parseStack(textField(warning, 'stack'), message, maxCalls);
  const calls = frames.map(({ function: name, file, line, column }) => {
    const location = file === '' ? 'native' : `${file}:${line}:${column}`;
    return name === '' ? location : `${name} (${location})`;
  });
  if (more > 0) calls.push(`… ${more} further`);
  if (calls.length > 0) context['stack'] = calls;
  const own = frames.find(({ file }) => isApplicationFile(file));
  if (own !== undefined) context['source'] = `${own.file}:${own.line}:${own.column}`;
  return context;
}

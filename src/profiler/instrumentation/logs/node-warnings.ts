import { errorMessage, isApplicationFile, isError, parseStack } from '#core/errors';
import { currentRecording } from '#profiler';
import { fieldOf, textField } from '../source/fields.js';

/** Maximum stack calls, and maximum characters in a text. */
const maxCalls = 20;
const maxText = 2000;

/** The first line of the warning being announced, which Node prints once the listeners before its own have run. */
let announced: string | undefined;

/**
 * Records Node's warnings (deprecations, experimental features, leaking listeners, the application's own
 * `process.emitWarning`) in the record of the request that caused them, whether or not Node prints them.
 */
export function instrumentNodeWarnings(): () => void {
  process.prependListener('warning', note);
  return () => void process.off('warning', note);
}

/** Returns whether a text is Node's output for the warning just recorded. */
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
    // Node does not print warnings that are not errors either.
    if (recording === undefined || !isError(warning)) return;
    const [message, name] = [errorMessage(warning), textField(warning, 'name') || 'Warning'];
    announced = message.split('\n', 1).join();
    process.nextTick(() => (announced = undefined)); // Node has printed it by then
    recording.log({
      time: Date.now(),
      level: 'warning',
      channel: 'node', // level and channel tell the profiler to count it separately
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

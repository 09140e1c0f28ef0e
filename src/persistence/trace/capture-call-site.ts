import { fileURLToPath } from 'node:url';
import { ownSourceFolders } from '#errors';
import type { CallSite } from './channels.js';

/** Frames looked at, and frames kept. */
const depth = 80;
const kept = 12;

/**
 * The application's calls that led here, innermost first. Awaited calls count too, as far as V8 still knows them;
 * packages, Node itself and lookback are left out.
 */
export function captureCallSite(): CallSite[] {
  const { stackTraceLimit } = Error;
  const formatter: unknown = Reflect.get(Error, 'prepareStackTrace');
  const holder: { stack?: unknown } = {};
  try {
    Error.stackTraceLimit = depth;
    Error.prepareStackTrace = (_error, frames) => frames;
    Error.captureStackTrace(holder, captureCallSite);
    const frames = holder.stack; // formatted when first read: here, while the formatter is ours
    return Array.isArray(frames) ? applicationFrames(frames) : [];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    Reflect.set(Error, 'prepareStackTrace', formatter);
  }
}

function applicationFrames(frames: readonly NodeJS.CallSite[]): CallSite[] {
  const places: CallSite[] = [];
  for (const frame of frames) {
    const file = frame.getFileName() ?? '';
    if (!isApplication(file)) continue;
    places.push({
      name: frame.getFunctionName() ?? undefined,
      file,
      line: frame.getLineNumber() ?? 0,
      column: frame.getColumnNumber() ?? 0,
    });
    if (places.length === kept) break;
  }
  return places;
}

/** By file, since a path is read of a URL again and again otherwise; bounded, for code that is made as it runs. */
const known = new Map<string, boolean>();
const mostKnown = 2000;

function isApplication(file: string): boolean {
  let answer = known.get(file);
  if (answer !== undefined) return answer;
  answer = isOutside(file);
  if (known.size >= mostKnown) known.clear();
  known.set(file, answer);
  return answer;
}

function isOutside(file: string): boolean {
  if (file === '' || file.startsWith('node:') || /[\\/]node_modules[\\/]/.test(file)) return false;
  const path = file.startsWith('file://') ? fileURLToPath(file) : file;
  return !ownSourceFolders.some((folder) => path.startsWith(folder));
}

import { isNativeError } from 'node:util/types';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Errors whose stacks were processed: a thrown error passes through several methods. */
const seen = new WeakSet<object>();

/** The folder with this package's code, as named in stacks: with its sources (`src`, `dist/src`), or the bundle. */
const here = ownFolder(import.meta.url);

function ownFolder(url: string): string {
  const marker = '/core/patches/';
  const at = url.lastIndexOf(marker);
  return at === -1 ? `${dirname(url)}/` : url.slice(0, at + 1);
}

const ownPath: string = fileURLToPath(here);

/** The default stack formatter: newer Node versions have one if the application has not set its own. */
const formatter: unknown = Reflect.get(Error, 'prepareStackTrace');

/**
 * Removes this package's frames from the stack of an error that the application gets from a Node or library method, and
 * cuts the stack to `limit` frames, so that it is the same as without lookback. Stacks that the application formats
 * itself (`Error.prepareStackTrace`) stay unchanged. Never throws.
 */
export function hideOwnFrames(error: unknown, limit: number): void {
  try {
    if (!isNativeError(error) || seen.has(error)) return;
    seen.add(error);
    if (Reflect.get(Error, 'prepareStackTrace') !== formatter) return;
    const own = Object.getOwnPropertyDescriptor(error, 'stack');
    if (own === undefined) return;
    const { stack } = error;
    if (typeof stack !== 'string' || !(stack.includes(here) || stack.includes(ownPath))) return;
    const [first = ''] = stack.split('\n').filter((line) => line.startsWith('    at '));
    if (first.includes(here) || first.includes(ownPath)) return; // thrown by lookback
    let frames = 0;
    const all = stack.split('\n');
    const isOwn = (line = ''): boolean => line.includes(here) || line.includes(ownPath);
    const lines = all.flatMap((line, index) => {
      if (!/^ {4}at /.test(line)) return [line];
      if (isOwn(line) || ++frames > limit) return [];
      // V8 adds another property's name to a method that is no longer found under its own.
      return [isOwn(all[index + 1]) ? line.replace(/ \[as [^\]]{1,100}\]/, '') : line];
    });
    const { writable = true, enumerable = false } = own;
    if ('value' in own)
      Object.defineProperty(error, 'stack', {
        value: lines.join('\n'),
        writable,
        enumerable,
        configurable: true,
      });
    else error.stack = lines.join('\n');
  } catch {
    // A frozen error, for example, keeps its stack.
  }
}

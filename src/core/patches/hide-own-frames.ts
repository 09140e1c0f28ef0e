import { isNativeError } from 'node:util/types';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Errors whose stacks were looked at: a thrown error passes several methods on its way. */
const seen = new WeakSet<object>();

/** The folder of this package's code, as stacks name it: with its sources (`src`, `dist/src`), or that of the bundle. */
const here = ownFolder(import.meta.url);

function ownFolder(url: string): string {
  const marker = '/core/patches/';
  const at = url.lastIndexOf(marker);
  return at === -1 ? `${dirname(url)}/` : url.slice(0, at + 1);
}

const ownPath: string = fileURLToPath(here);

/** What formats stacks where no application has set a function of its own: newer versions of Node have one. */
const formatter: unknown = Reflect.get(Error, 'prepareStackTrace');

/**
 * Takes this package's frames out of the stack of an error that the application gets from a method of Node or of a library,
 * and what is then more than `limit`: it has the stack that it would have without lookback. Stacks that the application
 * formats itself (`Error.prepareStackTrace`) stay as they are. Never throws.
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
    if (first.includes(here) || first.includes(ownPath)) return; // lookback threw it
    let frames = 0;
    const all = stack.split('\n');
    const isOwn = (line = ''): boolean => line.includes(here) || line.includes(ownPath);
    const lines = all.flatMap((line, index) => {
      if (!/^ {4}at /.test(line)) return [line];
      if (isOwn(line) || ++frames > limit) return [];
      // V8 adds the name of another property for a method that is no longer found by its own.
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
    // A frozen error, say, keeps its stack.
  }
}

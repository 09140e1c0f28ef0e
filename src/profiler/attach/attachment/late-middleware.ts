import { readOptions } from '#core/options';
import { type AttachOptions, attachSchema, readSettings, whenReady } from '../watch/attach-options.js';
import type { Middleware } from '../watch/note-facts.js';
import type { Detachable } from './attachment.js';

/** A loaded middleware's additional method. */
interface Waiting {
  [whenReady]?(): Promise<void> | undefined;
}

/**
 * Creates a middleware whose code is loaded when the process is first idle, so that it does not delay the application's
 * start, and not at all if nothing is recorded. Earlier requests are held until it is loaded. `load` receives this
 * middleware, so that the loaded code can find its place among the application's, and a copy of the options, which are
 * read only once.
 */
export function createLateMiddleware<Made extends Middleware>(
  options: AttachOptions | undefined,
  load: (self: Made & Detachable, options: AttachOptions) => Promise<Made & Detachable>,
): Made & Detachable {
  const given = readOptions('lookback', options, attachSchema);
  let run: Middleware = hold;
  let made: (Made & Detachable) | undefined;
  let loading: Promise<void> | undefined;
  const begin = (): Promise<void> =>
    (loading ??= load(self, given).then(
      (loaded) => {
        made = loaded;
        if (run === hold) run = awaitStore;
        else made.detach();
      },
      (error: unknown) => {
        process.stderr.write(`lookback: Nothing is recorded: ${String(error)}\n`);
        run = passOn;
      },
    ));
  function hold(...args: never[]): unknown {
    return begin().then(() => run(...args));
  }
  let ready: Promise<void> | undefined;
  const awaitStore: Middleware = (...args) => {
    const wait = (made as Waiting | undefined)?.[whenReady]; // created by `makeDetachable`
    ready ??= wait?.()?.then(goOn);
    if (ready !== undefined) return ready.then(() => run(...args));
    goOn();
    return run(...args);
  };
  const goOn = (): void => {
    if (run === awaitStore) run = made ?? passOn;
  };
  const detach = (): void => {
    run = passOn;
    made?.detach();
  };
  const middleware = (...args: never[]): unknown => run(...args);
  const close = async (): Promise<void> => {
    detach();
    await loading;
    await made?.close();
  };
  const late: unknown = Object.assign(middleware, { detach, close });
  const self = late as Made & Detachable; // it passes its arguments to the loaded middleware
  if (readSettings(given).enabled) setImmediate(() => void begin());
  else run = passOn;
  return self;
}

function passOn(...args: never[]): unknown {
  const next: unknown = args[args.length - 1]; // as frameworks call a middleware, except h3 1
  return typeof next === 'function' ? (next as () => unknown)() : undefined; // it takes no argument
}

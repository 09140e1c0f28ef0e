import { isCodedError } from '#core/coded-error';
import { describeThrown } from '#core/errors';
import { currentRecording } from '#profiler';
import { callable, checkValue, objectWith } from '#core/options';
import type { App } from '../app.js';
import { frameworkErrors } from '../configuration/error-codes.js';
import { announceStart } from './announce-start.js';

/** Seconds that a stop may take, including requests in flight and writing all records. */
const stopTimeoutSeconds = 5;

/**
 * Set while a command loads the application's module, possibly with another copy of the package: it must not listen.
 */
const loadedByCommand = Symbol.for('lookback.loadedByCommand');

const servedApp = objectWith<App>('an application from createApp()', 'listen');

/**
 * Runs an application as a program: creates it, listens, prints its URL, and exits cleanly on SIGTERM and SIGINT. An
 * unhandled rejection is logged, for its request if it has one, and the service continues. If the application cannot start,
 * prints one line with the fix and exits with status 1.
 */
export async function serve(create: () => App | Promise<App>): Promise<void> {
  if (Reflect.get(globalThis, loadedByCommand) === true)
    throw frameworkErrors.create('FRAMEWORK_SERVED_BY_COMMAND', {});
  checkValue('serve()', 'create', create, callable());
  try {
    const app = await create();
    checkValue('serve()', 'result of the function', app, servedApp);
    const server = await app.listen();
    stopAtSignal(app);
    process.on('unhandledRejection', (error) => logUnawaited(app, error));
    await announceStart(app, server.url);
  } catch (error) {
    if (!isCodedError(error)) throw error;
    const line = `${error.code}: ${error.message}${error.fix === undefined ? '' : ` ${error.fix}`}\n`;
    process.exitCode = 1;
    // Exits explicitly, because resources that are already open, e.g. a database, would keep the process alive.
    process.stderr.write(line, () => process.exit(1));
  }
}

/**
 * Logs an unhandled rejection, which must not end the service, in the scope of the request that created the promise.
 */
function logUnawaited(app: App, error: unknown): void {
  app.log.channel('process').critical(`Unhandled promise rejection: ${describeThrown(error)}`, { error });
  currentRecording()?.lateError(error);
}

/**
 * Stops the application at the first signal. Signals within the next second are ignored, because they repeat the first one
 * (a terminal sends SIGINT to npm and to the program, and npm forwards its own). A later signal exits immediately; records
 * are then stored at the exit event.
 */
function stopAtSignal(app: App): void {
  let stoppingSince: number | undefined;
  const onSignal = (): void => {
    if (stoppingSince === undefined) {
      stoppingSince = performance.now();
      void stop(app);
    } else if (performance.now() - stoppingSince > 1000) process.exit(1);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
}

async function stop(app: App): Promise<void> {
  // The timer also keeps the process alive: otherwise it could exit while one part is stuck and others are not closed yet.
  setTimeout(() => process.exit(1), stopTimeoutSeconds * 1000);
  await app.close();
  process.exit(0);
}

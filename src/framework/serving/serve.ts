import { isCodedError } from '#coded-error';
import { describeThrown } from '#errors';
import { currentRecording } from '#profiler';
import type { App } from '../app/app.js';

/** Seconds that a stop may take: what is in flight is finished and every record is written. */
const stopTimeoutSeconds = 5;

/**
 * Runs an application as a program: creates it, listens, prints its address, and exits cleanly on SIGTERM and SIGINT.
 * A rejected promise that is not awaited is logged, for its request if it has one, and the service continues. If it
 * cannot start, it prints one line with the fix and exits with status 1.
 */
export async function serve(create: () => App | Promise<App>): Promise<void> {
  try {
    const app = await create();
    const server = await app.listen();
    process.stdout.write(describeStart(app, server.url));
    stopAtSignal(app);
    process.on('unhandledRejection', (error) => logUnawaited(app, error));
    // It ends the process; its request is written down as unfinished, with what ended it.
    process.on('uncaughtExceptionMonitor', (error) => currentRecording()?.lateError(error));
  } catch (error) {
    if (!isCodedError(error)) throw error;
    const line = `${error.code}: ${error.message}${error.fix === undefined ? '' : ` ${error.fix}`}\n`;
    // What the application has opened meanwhile, a database perhaps, must not keep the process.
    process.stderr.write(line, () => process.exit(1));
  }
}

/** One forgotten `await` must not end the service for everyone. Runs in the request that the promise was made in. */
function logUnawaited(app: App, error: unknown): void {
  app.log
    .channel('process')
    .critical(`A promise was rejected without being handled: ${describeThrown(error)}`, { error });
  currentRecording()?.lateError(error);
}

function describeStart(app: App, url: string): string {
  const lines = [
    `lookback serves at ${url} (${app.configuration.env}${app.configuration.debug ? ', debug' : ''})`,
  ];
  if (app.profiler !== undefined && app.configuration.debug) {
    lines.push(`profiler  ${url}/_profiler/`);
    lines.push(`store     ${app.profiler.state().store}`);
  }
  return `${lines.join('\n')}\n`;
}

/**
 * The first signal begins the stop. What comes within a second of it is the same signal repeated (a terminal sends
 * SIGINT to npm and to the program, and npm hands its own on); a later one ends the process at once. Records are stored
 * at the exit event then.
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
  // It keeps the process as well: a part that is never closed must not end it before the others are.
  setTimeout(() => process.exit(1), stopTimeoutSeconds * 1000);
  await app.close();
  process.exit(0);
}

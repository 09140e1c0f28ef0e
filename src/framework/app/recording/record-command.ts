import { channel } from 'node:diagnostics_channel';
import { type Command, runCommand } from '#core/command';
import { HttpRequest } from '#core/http';
import type { Logger } from '#core/log';
import { runInScope } from '#core/scope';
import { type Profiler, type Recording, requestRecording } from '#profiler';

/** Milliseconds that startup, or a command, waits for the store: a hanging store must not block it. */
export const readyMs = 5000;

/** Options for running a command. */
export interface RunCommandOptions {
  /** Writes an output line. Default: standard output. */
  readonly print?: (line: string) => void;
  /** Returns the program's exit code if the command throws, for its record. Default 1. */
  readonly exitCodeOf?: (error: unknown) => number;
}

const begin = channel('lookback:command:begin');
const end = channel('lookback:command:end');
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface CommandRunner {
  readonly profiler: Profiler | undefined;
  readonly log: Logger;
  /** Instruments libraries that have been loaded meanwhile. */
  readonly look: () => void;
}

/** Creates the function that runs an application's command with its own record. Refused arguments leave no record. */
export function createCommandRunner({ profiler, log, look }: CommandRunner) {
  return (
    command: Command,
    args: readonly string[] = [],
    {
      print = (line) => void process.stdout.write(`${line}\n`),
      exitCodeOf = () => 1,
    }: RunCommandOptions = {},
  ): Promise<number> => {
    if (profiler === undefined) return runCommand(command, args, { log, print });
    let recorded: RecordedCommand | undefined;
    return runCommand(command, args, {
      log,
      print(line) {
        recorded?.print(line);
        print(line);
      },
      async record({ options, positionals }, run) {
        look();
        await profiler.ready(readyMs); // its token is then as short as a request's
        if (profiler.isOff) return run();
        recorded = new RecordedCommand(profiler, command, { options, positionals });
        return recorded.run(run, exitCodeOf);
      },
    });
  };
}

/** A running command, recorded as a request with the method CLI. */
class RecordedCommand {
  readonly #profiler: Profiler;
  readonly #request: HttpRequest;
  readonly #recording: Recording;
  #bytes = 0;

  constructor(
    profiler: Profiler,
    { name, positionals: names }: Command,
    given: { readonly options: object; readonly positionals: readonly string[] },
  ) {
    this.#profiler = profiler;
    this.#request = new HttpRequest({
      method: 'CLI',
      target: `/${name}`,
      rawHeaders: [],
      httpVersion: '',
      peer: { address: '127.0.0.1', port: 0, encrypted: false },
    });
    const recording = (this.#recording = profiler.begin(this.#request));
    this.#request.scope.set(requestRecording, recording);
    recording.route({ name, path: null });
    const { options, positionals } = given;
    this.#publish(() =>
      begin.publish({ name, options: { ...options }, arguments: namedArguments(names, positionals) }),
    );
  }

  print(line: string): void {
    const text = `${line}\n`;
    this.#bytes += Buffer.byteLength(text);
    this.#recording.responseBody(text);
  }

  async run(work: () => Promise<number>, exitCodeOf: (error: unknown) => number): Promise<number> {
    const unwatch = this.#watchEnd();
    try {
      const exitCode = await runInScope(this.#request.scope, work);
      this.#finish({ exitCode });
      return exitCode;
    } catch (error) {
      this.#recording.lateError(error); // no client sees it
      this.#finish({ exitCode: exitCodeOf(error) });
      throw error;
    } finally {
      unwatch();
    }
  }

  #finish({ exitCode }: { readonly exitCode: number }): void {
    this.#publish(() => end.publish({ exitCode }));
    this.#profiler.finish(this.#recording, undefined, {
      status: exitCode === 0 ? 200 : 500,
      headers: this.#bytes === 0 ? [] : ['Content-Type', 'text/plain; charset=utf-8'],
      bodyBytes: this.#bytes,
      completed: true,
    });
  }

  #publish(work: () => void): void {
    runInScope(this.#request.scope, work);
  }

  /** Records a signal or an early exit; both keep their usual effect. */
  #watchEnd(): () => void {
    const onSignal = (signal: NodeJS.Signals): void => {
      // Removed first: other listeners, including our profiler, end the process only if no listener is left.
      unwatchSignals();
      this.#publish(() => end.publish({ signal }));
    };
    const unwatchSignals = (): void => {
      for (const signal of signals) process.off(signal, onSignal);
    };
    const onExit = (exitCode: number): void => this.#publish(() => end.publish({ exitCode }));
    for (const signal of signals) process.prependListener(signal, onSignal);
    process.prependListener('exit', onExit);
    return () => {
      unwatchSignals();
      process.off('exit', onExit);
    };
  }
}

/** Returns arguments by their declared names, so that secret ones are hidden; further ones by number. */
function namedArguments(names: readonly string[], values: readonly string[]): Record<string, unknown> {
  const last = names.at(-1);
  const isOpenEnded = last?.endsWith('…') === true;
  const fixed = isOpenEnded ? names.slice(0, -1) : names;
  const named = values
    .slice(0, fixed.length)
    .map((value, at): [string, unknown] => [fixed[at] ?? String(at), value]);
  const rest = values.slice(fixed.length);
  return Object.fromEntries(isOpenEnded && rest.length > 0 ? [...named, [last.slice(0, -1), rest]] : named);
}

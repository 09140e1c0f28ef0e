import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pinned } from './pinning.mjs';

/** A child process running Node, or `program`. Exchanges messages with it, and stops it by its pid. */
export class Child {
  #process;

  constructor(file, { program = process.execPath, args = [], core, env, flags = [] } = {}) {
    const [command, ...before] = pinned(program, core);
    this.#process = spawn(command, [...before, ...flags, fileURLToPath(file), ...args], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production', ...env },
    });
    this.errors = '';
    this.#process.stderr.on('data', (chunk) => {
      this.errors = (this.errors + chunk).slice(-2000);
    });
  }

  get pid() {
    return this.#process.pid;
  }

  send(message) {
    this.#process.send(message);
  }

  /** The next message; fails if the process ends instead, or sends nothing for 30 s. */
  async next() {
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(30_000)]);
    try {
      return await Promise.race([
        once(this.#process, 'message', { signal }).then(([message]) => message),
        once(this.#process, 'exit', { signal }).then(() => {
          throw new Error(`The process ended. ${this.errors.trim()}`);
        }),
      ]);
    } finally {
      ended.abort();
    }
  }

  async ask(message) {
    const answer = this.next();
    this.send(message);
    return answer;
  }

  async stop() {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    const late = setTimeout(() => this.#process.kill('SIGKILL'), 6000);
    await gone;
    clearTimeout(late);
  }
}

import { spawnSync } from 'node:child_process';

/** The command that starts a runtime; undefined if this machine does not have it. */
export interface Runtime {
  readonly name: 'Bun' | 'Deno';
  readonly command: readonly [string, ...string[]] | undefined;
}

/** `BUN` and `DENO` name the programs; otherwise they are searched for on the path. `.ci/run` installs both. */
export const runtimes: readonly Runtime[] = [
  { name: 'Bun', command: found(process.env['BUN'] ?? 'bun', []) },
  { name: 'Deno', command: found(process.env['DENO'] ?? 'deno', ['run', '-A']) },
];

function found(program: string, flags: readonly string[]): readonly [string, ...string[]] | undefined {
  const { status } = spawnSync(program, ['--version'], { stdio: 'ignore' });
  return status === 0 ? [program, ...flags] : undefined;
}

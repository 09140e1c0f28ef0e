import { spawnSync } from 'node:child_process';

/** How a runtime is started; undefined where it is not on this machine. */
export interface Runtime {
  readonly name: 'Bun' | 'Deno';
  readonly command: readonly [string, ...string[]] | undefined;
}

/** `BUN` and `DENO` name the programs; else they are looked for on the path. `.ci/run` installs both. */
export const runtimes: readonly Runtime[] = [
  { name: 'Bun', command: found(process.env['BUN'] ?? 'bun', []) },
  { name: 'Deno', command: found(process.env['DENO'] ?? 'deno', ['run', '-A']) },
];

function found(program: string, flags: readonly string[]): readonly [string, ...string[]] | undefined {
  const { status } = spawnSync(program, ['--version'], { stdio: 'ignore' });
  return status === 0 ? [program, ...flags] : undefined;
}

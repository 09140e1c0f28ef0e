import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createProfiler, type ProfileRecord } from 'lookback/profiler';

/** A program that runs as its own process. */
export interface ChildProgram {
  /** Its output, once it contains the text. */
  said(words: RegExp): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; printed: string }>;
}

export function startProgram(
  program: URL,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  cwd?: string,
): ChildProgram {
  const script = fileURLToPath(program);
  const child = spawn(process.execPath, ['--enable-source-maps', script, ...args], {
    env: { PATH: process.env['PATH'], PORT: '0', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = once(child, 'close').then((values: unknown[]) => {
    const [code, signal] = values as [number | null, NodeJS.Signals | null]; // the arguments of 'close'
    return { code, signal, printed };
  });
  return {
    async said(words) {
      while (!words.test(printed)) {
        assert.ok(child.exitCode === null && child.signalCode === null, printed);
        await sleep(10);
      }
      return words.exec(printed)?.[0] ?? '';
    },
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

/** The records in a file that no program uses any more, newest first. */
export async function readRecords(path: string): Promise<ProfileRecord[]> {
  const profiler = createProfiler({ store: `sqlite:${path}` });
  try {
    const records: ProfileRecord[] = [];
    for (const { token } of (await profiler.list()).rows) {
      const found = await profiler.find(token);
      if (found.kind === 'found') records.push(found.record);
    }
    return records;
  } finally {
    await profiler.close();
  }
}

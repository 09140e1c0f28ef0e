import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The blocks of a page as one program. */
export interface PageProgram {
  readonly name: string;
  readonly page: string;
  /** Which of its blocks; default: all. */
  readonly blocks?: readonly [from: number, to: number];
  /** What the page leaves to the reader. */
  readonly own?: string;
  /** What the test adds. */
  readonly more?: string;
}

/** A project of its own with the programs of pages, as a reader would write it. */
export interface Programs {
  readonly folder: string;
  compile(): void;
  /** Runs Node in the folder with these words. */
  run(...words: string[]): { status: number | null; stdout: string; stderr: string };
  remove(): void;
}

/** Its types are found from where they really are. */
const modules = [
  'express',
  '@types',
  'pino',
  'ioredis',
  'ws',
  '@mikro-orm',
  '@modelcontextprotocol',
  '@opentelemetry',
  'prom-client',
  'zod',
];

export function writePrograms(pages: readonly PageProgram[]): Programs {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-docs-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('.'), join(folder, 'node_modules/lookback'), 'junction');
  for (const name of modules)
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name), 'junction');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const { name, page, blocks = [0, Infinity], own = '', more = '' } of pages) {
    const found = [...readFileSync(page, 'utf8').matchAll(/```(?:ts|js)\n([\s\S]*?)```/g)].map(
      ([, text]) => text,
    );
    writeFileSync(
      join(folder, `${name}.ts`),
      [own, ...found.slice(...blocks), more, 'export {};'].join('\n'),
    );
  }
  return {
    folder,
    compile() {
      const flags = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--pretty', 'false'];
      const target = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
      const types = ['--typeRoots', resolve('node_modules/@types')];
      const tsc = resolve('node_modules/typescript/bin/tsc');
      const files = pages.map(({ name }) => `${name}.ts`);
      const run = spawnSync(process.execPath, [tsc, ...flags, ...target, ...types, ...files], {
        cwd: folder,
        encoding: 'utf8',
      });
      assert.equal(run.status, 0, run.stdout + run.stderr);
    },
    run(...words) {
      const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
      return spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8', env, timeout: 60_000 });
    },
    remove: () => rmSync(folder, { recursive: true, maxRetries: 5 }),
  };
}

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** A page's code blocks as one program, and those with a file name as that file, in a folder with the page's name. */
export interface PageProgram {
  readonly name: string;
  readonly page: string;
  /** The range of blocks; default: all. */
  readonly blocks?: readonly [from: number, to: number];
  /** Code that the page leaves to the reader. */
  readonly own?: string;
  /** Code that the test adds. */
  readonly more?: string;
}

/** A separate project with the programs of the pages, as a reader would write it. */
export interface Programs {
  readonly folder: string;
  compile(): void;
  /** Runs Node in the folder with these arguments. */
  run(...words: string[]): { status: number | null; stdout: string; stderr: string };
  remove(): void;
}

/** A TypeScript or JavaScript block on a page. */
export interface Block {
  /** The file that the reader writes it to, if the fence names one: ` ```ts src/tasks.ts `. */
  readonly file: string | undefined;
  readonly text: string;
}

export function blocksOf(page: string): readonly Block[] {
  return [...readFileSync(page, 'utf8').matchAll(/```(?:ts|tsx|js)(?: ([\w./-]+))?\n([\s\S]*?)```/g)].map(
    ([, file, text = '']) => ({ file, text }),
  );
}

/** Types resolve from the real paths. */
const modules = [
  'awilix',
  'cheerio',
  'express',
  'pg',
  '@types',
  'pino',
  'bullmq',
  'nodemailer',
  'ioredis',
  'jose',
  'ws',
  '@mikro-orm',
  '@modelcontextprotocol',
  'zod',
];

export function writePrograms(pages: readonly PageProgram[]): Programs {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-docs-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('.'), join(folder, 'node_modules/lookback'), 'junction');
  for (const name of modules)
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name), 'junction');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const files: string[] = [];
  for (const { name, page, blocks = [0, Infinity], own = '', more = '' } of pages) {
    for (const { file, text } of blocksOf(page)) {
      if (file === undefined) continue;
      files.push(`${name}/${file}`);
      mkdirSync(dirname(join(folder, name, file)), { recursive: true });
      writeFileSync(join(folder, name, file), text);
    }
    const found = blocksOf(page).flatMap(({ file, text }) => (file === undefined ? [text] : []));
    if (found.length === 0) continue;
    files.push(`${name}.ts`);
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

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { ProfileRecord } from 'lookback/profiler';
import { freePort } from '../free-port.js';
import { until } from '../until.js';

const modules = resolve('node_modules');

/** A program without any lookback code: it listens on `PORT` and then sends a message. */
export interface FlaggedProgram {
  /** The file's name. */
  readonly name: string;
  readonly text: string;
  /** A package that the program has under a different name or version than this repository. */
  readonly renamed?: Renamed;
  /** Whether the file also contains the packages that the program imports, as a bundler writes it. */
  readonly isBundled?: boolean;
}

interface Renamed {
  readonly from: string;
  readonly to: string;
  readonly version?: string;
}

/** A response, and its record if the program runs with the flag. */
export interface RecordedAnswer {
  readonly status: number;
  readonly text: string;
  readonly token: string;
  record(): Promise<ProfileRecord>;
}

/** A running program. */
export interface RunningProgram {
  readonly origin: string;
  ask(path: string): Promise<RecordedAnswer>;
  /** Its folder, in which commands find its store. */
  readonly folder: string;
  /** Its stderr so far, which the test run shows as well. */
  stderr(): string;
  close(): Promise<void>;
}

/** Starts a program in a folder of its own, with or without `--import lookback/register`. */
export async function startProgram(
  { name, text, renamed, isBundled = false }: FlaggedProgram,
  { isFlagged, store = 'memory:' }: { readonly isFlagged: boolean; readonly store?: string },
): Promise<RunningProgram> {
  const place = mkdtempSync(join(tmpdir(), 'flagged-'));
  symlinkSync(modules, join(place, 'node_modules'));
  const folder = join(place, 'app');
  mkdirSync(folder);
  if (renamed !== undefined) copyPackage(folder, renamed);
  writeFileSync(join(folder, name), text);
  if (isBundled) await bundle(join(folder, name));
  writeManifest(place, isBundled ? '' : text);
  const port = await freePort();
  const flag = isFlagged ? ['--import', resolve('dist/bundle/register.js')] : [];
  const child = spawn(process.execPath, [...flag, name], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: String(port), PROFILER_STORE: store },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
    process.stderr.write(String(chunk));
  });
  await once(child, 'message');
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    async ask(path) {
      const response = await fetch(origin + path, { redirect: 'manual' });
      const token = response.headers.get('x-debug-token') ?? '';
      return {
        status: response.status,
        text: await response.text(),
        token,
        record: () => readRecord(`${origin}/_profiler/${token}.json`),
      };
    },
    folder,
    stderr: () => stderr,
    async close() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** The record closes with the connection. */
async function readRecord(address: string): Promise<ProfileRecord> {
  let page = '';
  return until(
    async () => {
      page = await (await fetch(address)).text();
      return page.includes('"state":"complete"') && (JSON.parse(page) as ProfileRecord); // our own JSON
    },
    () => page.slice(0, 500),
  );
}

/** Replaces a program by its bundle. */
async function bundle(file: string): Promise<void> {
  const isModule = file.endsWith('.mjs');
  const banner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;
  await build({
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    platform: 'node',
    format: isModule ? 'esm' : 'cjs',
    keepNames: true,
    logLevel: 'error',
    ...(isModule ? { banner: { js: banner } } : {}),
  });
}

/** Copies the renamed package, because a link would resolve to its real name; all others are found in the parent folder. */
function copyPackage(folder: string, { from, to, version }: Renamed): void {
  const own = join(folder, 'node_modules', to);
  cpSync(join(modules, from), own, { recursive: true });
  if (version === undefined) return;
  const manifest = join(own, 'package.json');
  const description = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string; main?: string }; // from npm
  writeFileSync(manifest, JSON.stringify({ ...description, version }));
  // Fastify also has its version as a constant, which each instance shows.
  const main = join(own, description.main ?? 'index.js');
  if (!existsSync(main)) return;
  const constant = `VERSION = '${description.version}'`;
  writeFileSync(main, readFileSync(main, 'utf8').replace(constant, `VERSION = '${version}'`));
}

/**
 * Writes a `package.json` that names the packages that a program loads. Without one, the flag loads every installed package
 * that it can record, which takes longer than most of these programs run.
 */
export function writeManifest(folder: string, ...programs: readonly string[]): void {
  const loaded = /\b(?:from|import|require)\b\s*\(?\s*['"]((?:@[^/'"]+\/)?[^./'"][^/'"]*)/g;
  const names = programs.flatMap((text) => [...text.matchAll(loaded)].flatMap(([, name]) => name ?? []));
  const dependencies = Object.fromEntries(['lookback', ...names].map((name) => [name, '*']));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }));
}

import { fileURLToPath } from 'node:url';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { safely } from '#core/coded-error';
import type { FrameKind } from '../report/error-report.js';

/** One parsed V8 stack line. */
export interface StackFrame {
  readonly function: string;
  /** Absolute path, `node:…` or another URL; empty if the line names no position. */
  readonly file: string;
  /** From 1; 0 if unknown. */
  readonly line: number;
  readonly column: number;
  readonly async: boolean;
  /** The code came from `eval` or `new Function`; the position is the outermost eval call's. */
  readonly eval: boolean;
}

const maxStackLength = 64 * 1024;
const maxLineLength = 2000;

/**
 * Parses a V8 stack (or Node's with source maps): returns at most `limit` frames, and the number of further ones.
 * `message` is the error's message: V8 prints it above the frames, so its lines are skipped even if they look like
 * frames.
 */
export function parseStack(
  stack: string,
  message: string,
  limit: number,
): { frames: StackFrame[]; more: number } {
  const start = endOfMessage(stack, message);
  const lines = stack.slice(start, start + maxStackLength).split('\n');
  const frames: StackFrame[] = [];
  let more = 0;
  for (const line of lines) {
    if (line.length > maxLineLength) continue;
    const trimmed = line.trim();
    if (!trimmed.startsWith('at ')) continue;
    if (frames.length < limit) frames.push(parseStackLine(trimmed.slice(3)));
    else more++;
  }
  return { frames, more };
}

/** Returns the offset after the message in the head of a stack (`Class: message`), where the frames begin; 0 if not found. */
function endOfMessage(stack: string, message: string): number {
  if (message === '') return 0;
  const at = stack.indexOf(message);
  // Further down, the match would be a frame that happens to contain the same text.
  return at === -1 || at > 400 || /\n[^\S\n]*at /.test(stack.slice(0, at)) ? 0 : at + message.length;
}

function parseStackLine(text: string): StackFrame {
  const async = text.startsWith('async ');
  const call = async ? text.slice('async '.length) : text;
  const open = call.endsWith(')') ? call.indexOf(' (') : -1;
  const name = open === -1 ? '' : call.slice(0, open);
  const inside = open === -1 ? call : call.slice(open + 2, -1);
  const isEval = inside.startsWith('eval at ');
  const location = parseLocation(isEval ? locationOfEval(inside) : inside);
  const known = location.file !== '' || open !== -1;
  return { function: readableName(known ? name : call), ...location, async, eval: isEval };
}

function readableName(name: string): string {
  return name
    .slice(0, 300)
    .replace(/^(?:Object\.)?<anonymous>$|^Object\./, '')
    .replace(/ \[as [^\]]{0,300}\]$/, '');
}

/** `eval at inner (eval at outer (file:1:2), <anonymous>:1:1), <anonymous>:3:4` → the position of the outermost call. */
function locationOfEval(text: string): string {
  const inner = text.slice(text.lastIndexOf('eval at '));
  const open = inner.indexOf(' (');
  const close = inner.indexOf(')', open);
  return open === -1 || close === -1 ? '' : inner.slice(open + 2, close);
}

function parseLocation(text: string): Pick<StackFrame, 'file' | 'line' | 'column'> {
  const nowhere = { file: '', line: 0, column: 0 };
  if (text === 'native' || text === '<anonymous>' || text.startsWith('index ')) return nowhere;
  const numbers = /:(\d{1,9})(?::(\d{1,9}))?$/.exec(text);
  const location = numbers === null ? text : text.slice(0, numbers.index);
  const file = pathOf(location);
  if (file === '') return nowhere;
  return { file, line: Number(numbers?.[1] ?? 0), column: Number(numbers?.[2] ?? 0) };
}

function pathOf(location: string): string {
  const path = pathOfFile(location);
  const isPath = path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path);
  const isOtherUrl = /^(?!file:)[a-z][a-z0-9+.-]*:/i.test(path);
  if (isPath || isOtherUrl) return path;
  // Vite names application files relative to its root folder.
  return /^[^\s:<>]{1,300}\.\w{1,10}$/.test(path) && existsSync(path) ? resolve(path) : '';
}

/** Returns a file URL's path without its query; any other text is returned unchanged. */
export function pathOfFile(file: string): string {
  if (!file.startsWith('file://')) return file;
  try {
    return fileURLToPath(file.replace(/[?#].*$/, ''));
  } catch {
    return file;
  }
}

/** A frame position's display name and origin. */
export interface PlaceDescription {
  readonly kind: FrameKind;
  readonly file: string;
  readonly library?: string;
}

/**
 * This package's own folders (source, compiled, bundled): their frames count as library frames wherever the package is
 * installed.
 */
export const ownSourceFolders: readonly string[] = ['src', 'dist/src', 'dist/bundle'].map((folder) =>
  join(packageFolder(dirname(fileURLToPath(import.meta.url))), folder, sep),
);

/** Finds the package folder by its package.json, because the bundle is less deeply nested than the compiled modules. */
function packageFolder(folder: string): string {
  return existsSync(join(folder, 'package.json')) || dirname(folder) === folder
    ? folder
    : packageFolder(dirname(folder));
}

/** Installed packages: from npm, or from Debian. */
const installedFile =
  /^(?:.*[\\/]node_modules|\/usr\/(?:share|lib)\/(?:[^/]+\/)?nodejs)[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/;

/** Whether a file belongs to an installed package. */
export function isInstalled(file: string): boolean {
  return installedFile.test(pathOfFile(file));
}

/**
 * Returns the workspace folder that contains a folder, with an application's packages: the nearest parent folder that
 * is a repository or declares workspaces; the folder itself if there is none.
 */
export function findWorkspace(folder: string): string {
  let at = folder;
  for (let level = 0; level < maxLevels && dirname(at) !== at; level++, at = dirname(at)) {
    const names = ['.git', 'pnpm-workspace.yaml', 'lerna.json', 'nx.json'];
    if (names.some((name) => existsSync(join(at, name))) || declaresWorkspaces(at)) return at;
  }
  return folder;
}

const maxLevels = 8;

function declaresWorkspaces(folder: string): boolean {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return false; // a throw would be inspected like the application's
  return safely(() => /"workspaces"\s*:/.test(readFileSync(manifest, 'utf8').slice(0, 100_000)), false);
}

/**
 * Describes a frame's position. A file belongs to the application if it is neither installed nor in `libraryFolders`;
 * files inside `root` and others in its workspace are named relative to `root`.
 */
export function describeLocation(
  frame: StackFrame,
  root: string,
  libraryFolders: readonly string[],
): PlaceDescription {
  const { file } = frame;
  if (file === '') return { kind: frame.eval ? 'eval' : 'native', file: '' };
  if (file.startsWith('node:')) return { kind: 'node', file };
  if (!/^(?:\/|[A-Za-z]:[\\/])/.test(file))
    return { kind: frame.eval ? 'eval' : 'native', file: file.slice(0, 300) };
  const installed = installedFile.exec(file);
  if (installed !== null) {
    const name = (installed[1] ?? '').replace('\\', '/');
    return {
      kind: 'library',
      library: name,
      file: withForwardSlashes(name + file.slice(installed[0].length)),
    };
  }
  const folder = libraryFolders.find((one) => file.startsWith(one));
  if (folder !== undefined)
    return {
      kind: 'library',
      library: 'lookback',
      file: withForwardSlashes(`lookback/${file.slice(folder.length)}`),
    };
  const isNear = isInside(root, file) || isInside(workspaceOf(root), file);
  return {
    kind: frame.eval ? 'eval' : 'app',
    file: withForwardSlashes(isNear ? relative(root, file) : file),
  };
}

function isInside(folder: string, file: string): boolean {
  const way = relative(folder, file);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The workspace of the last requested folder: a process has one. */
let lastWorkspace = { folder: '', workspace: '' };

function workspaceOf(folder: string): string {
  if (lastWorkspace.folder !== folder) lastWorkspace = { folder, workspace: findWorkspace(folder) };
  return lastWorkspace.workspace;
}

function withForwardSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}

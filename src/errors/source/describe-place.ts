import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FrameKind } from '../report/error-report.js';
import type { StackFrame } from './parse-stack.js';

/** How a frame's place is named and whose it is. */
export interface PlaceDescription {
  readonly kind: FrameKind;
  readonly file: string;
  readonly library?: string;
}

/** This package's own folders, as source, compiled and bundled: its frames are a library's, wherever it is installed. */
export const ownSourceFolders: readonly string[] = ['src', 'dist/src', 'dist/bundle'].map((folder) =>
  join(packageFolder(dirname(fileURLToPath(import.meta.url))), folder, sep),
);

/** The bundle lies less deep than what it was made of: the package begins where its package.json is. */
function packageFolder(folder: string): string {
  return existsSync(join(folder, 'package.json')) || dirname(folder) === folder
    ? folder
    : packageFolder(dirname(folder));
}

/** Names the place of a frame for a reader who stands in `root`. */
export function describePlace(
  frame: StackFrame,
  root: string,
  libraryFolders: readonly string[],
): PlaceDescription {
  const { file } = frame;
  if (file === '') return { kind: frame.eval ? 'eval' : 'native', file: '' };
  if (file.startsWith('node:')) return { kind: 'node', file };
  if (!/^(?:\/|[A-Za-z]:[\\/])/.test(file))
    return { kind: frame.eval ? 'eval' : 'native', file: file.slice(0, 300) };
  const installed = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file);
  if (installed !== null) {
    const name = (installed[1] ?? '').replace('\\', '/');
    return { kind: 'library', library: name, file: slashes(name + file.slice(installed[0].length)) };
  }
  const folder = libraryFolders.find((one) => file.startsWith(one));
  if (folder !== undefined)
    return { kind: 'library', library: 'lookback', file: slashes(`lookback/${file.slice(folder.length)}`) };
  const way = relative(root, file);
  const inside = way !== '' && way !== '..' && !way.startsWith(`..${sep}`);
  return { kind: frame.eval ? 'eval' : inside ? 'app' : 'library', file: slashes(inside ? way : file) };
}

function slashes(path: string): string {
  return path.replaceAll('\\', '/');
}

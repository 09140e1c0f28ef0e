import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FrameKind } from '../report/error-report.js';
import type { StackFrame } from './parse-stack.js';

/** Display name and origin of a frame's position. */
export interface PlaceDescription {
  readonly kind: FrameKind;
  readonly file: string;
  readonly library?: string;
}

/** This package's own folders (source, compiled, bundled): its frames count as library frames wherever it is installed. */
export const ownSourceFolders: readonly string[] = ['src', 'dist/src', 'dist/bundle'].map((folder) =>
  join(packageFolder(dirname(fileURLToPath(import.meta.url))), folder, sep),
);

/** Finds the package folder by its package.json: the bundle is less deeply nested than the compiled modules. */
function packageFolder(folder: string): string {
  return existsSync(join(folder, 'package.json')) || dirname(folder) === folder
    ? folder
    : packageFolder(dirname(folder));
}

/** Describes a frame's position; files inside `root` are named relative to it. */
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
  const relativePath = relative(root, file);
  const inside = relativePath !== '' && relativePath !== '..' && !relativePath.startsWith(`..${sep}`);
  return {
    kind: frame.eval ? 'eval' : inside ? 'app' : 'library',
    file: withForwardSlashes(inside ? relativePath : file),
  };
}

function withForwardSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}

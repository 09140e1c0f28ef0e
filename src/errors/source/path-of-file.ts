import { fileURLToPath } from 'node:url';

/** Returns the path of a file URL, without its query; any other text is returned unchanged. */
export function pathOfFile(file: string): string {
  if (!file.startsWith('file://')) return file;
  try {
    return fileURLToPath(file.replace(/[?#].*$/, ''));
  } catch {
    return file;
  }
}

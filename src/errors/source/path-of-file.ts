import { fileURLToPath } from 'node:url';

/** The path that a file URL names, without its query; what is none stays as it is. */
export function pathOfFile(file: string): string {
  if (!file.startsWith('file://')) return file;
  try {
    return fileURLToPath(file.replace(/[?#].*$/, ''));
  } catch {
    return file;
  }
}

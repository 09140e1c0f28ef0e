/** A source file as lines. */
export interface LoadedSource {
  readonly lines: readonly string[];
  /** Written after the process started. */
  readonly changed: boolean;
}

/**
 * Where excerpts come from. `load` takes an absolute path and gives the file's lines, or a sentence that says why they
 * are not shown. It never throws, and reads only what may be shown.
 */
export interface SourceLoader {
  load(path: string): LoadedSource | string;
}

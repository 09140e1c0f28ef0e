/** A source file as lines. */
export interface LoadedSource {
  readonly lines: readonly string[];
  /** Written after the process started. */
  readonly changed: boolean;
}

/** A place in a source; line and column from 1. */
export interface SourcePosition {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Where excerpts come from. Neither method throws; both read only what may be shown.
 */
export interface SourceLoader {
  /** The lines of the file at an absolute path, or a sentence that says why they are not shown. */
  load(path: string): LoadedSource | string;
  /** The place in the source that a compiled place was made from; undefined where no source map says. */
  findOriginal(position: SourcePosition): SourcePosition | undefined;
}

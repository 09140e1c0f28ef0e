import type { Picture } from '#dump';

/** Where a frame belongs: the application, a package (the framework counts as one), Node itself, eval, or native code. */
export type FrameKind = 'app' | 'library' | 'node' | 'eval' | 'native';

/** Source lines around a place. */
export interface Excerpt {
  /** Number of the first line shown, from 1. */
  readonly startLine: number;
  readonly lines: readonly string[];
  /** The line of the frame, and its column from 1 within the line as it is shown. */
  readonly line: number;
  readonly column: number;
  /** The file was written after this process started: the lines may have moved. */
  readonly changed?: true;
}

/** One call of a stack, innermost first. */
export interface ReportedFrame {
  /** Place in the stack, from 1. */
  readonly index: number;
  /** Name of the function; empty at the top of a module or if it has none. */
  readonly function: string;
  /** For reading: relative to the project, `package/…` for packages, `node:…` for Node. Empty if there is none. */
  readonly file: string;
  /** Absolute path of the (original) source on this machine. */
  readonly path?: string;
  /** From 1; 0 where unknown. */
  readonly line: number;
  /** From 1; 0 where unknown. */
  readonly column: number;
  readonly kind: FrameKind;
  /** Name of the package of a library frame. */
  readonly library?: string;
  /** Reached over an `await`. */
  readonly async: boolean;
  readonly excerpt?: Excerpt;
  /** Why there is no excerpt although the frame names a file. */
  readonly note?: string;
}

/** One error of a chain, as plain data without secrets. */
export interface ReportedError {
  /** Place in its chain, from 1 = innermost. */
  readonly number: number;
  /** Unique in the report: `1`, `2`; `2.1` for the first error gathered by error 2. */
  readonly label: string;
  /** Name of the class; `string`, `undefined` … for thrown values that are no errors. */
  readonly class: string;
  readonly message: string;
  readonly code?: string;
  /** How to fix it, if the error has that. */
  readonly fix?: string;
  /** Status of an `HttpError`. */
  readonly status?: number;
  /** The thrown value is not an error: a string, a plain object … */
  readonly isNoError?: true;
  /** Own data of the error, without message, stack and cause; absent if there is none. */
  readonly properties?: Picture;
  /** Innermost call first. */
  readonly frames: readonly ReportedFrame[];
  /** Calls that stand at an error before it, left out behind the first `at` of `frames` where the report was shortened for a page. */
  readonly shared?: { readonly label: string; readonly calls: number; readonly at: number };
  /** Calls left out at the end of the stack. */
  readonly moreFrames?: number;
  /** The error that was thrown last and decides the answer. */
  readonly isOuter: boolean;
  /** The errors an AggregateError gathered, each with its own chain. */
  readonly children?: readonly ReportedChain[];
  /** Gathered errors left out. */
  readonly moreChildren?: number;
  /** The chain ends here because this error's cause is one already shown: its label. */
  readonly circularTo?: string;
}

/** Errors that caused each other, inner first. */
export interface ReportedChain {
  readonly errors: readonly ReportedError[];
  /** Causes further inside that are not shown. */
  readonly more?: number;
}

/** Everything an error page, a problem document or a record shows of a thrown value. Plain JSON data, bounded, redacted. */
export interface ErrorReport extends ReportedChain {
  /** Status of the answer: the outer error's, or 500. */
  readonly status: number;
  /** Class and message of the outer error. */
  readonly class: string;
  readonly message: string;
  /** The first application frame, looked for from the inner error outwards, else the outer error's first frame with a file. */
  readonly origin?: { readonly error: string; readonly frame: number };
}

/** The stack of a reported error. */
export type ReportedStack = Pick<ReportedError, 'frames' | 'moreFrames' | 'shared'>;

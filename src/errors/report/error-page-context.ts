import type { ReportedFrame } from './error-report.js';

/** One log entry as the error page shows it. */
export interface PageLogEntry {
  /** Milliseconds since the request began, or a clock time as text. */
  readonly time: number | string;
  readonly level: string;
  readonly channel: string;
  readonly message: string;
  /** Data of the entry as text. */
  readonly context?: string;
}

/** A route that nearly matched the request. */
export interface PageRouteTrace {
  readonly name: string;
  readonly path: string;
  /** Why the route did not match: `path does not match`, `method GET is not among POST`. */
  readonly reason: string;
}

/** Context of the error: optional plain data without secrets (URL and headers are redacted again). */
export interface ErrorPageContext {
  readonly request?: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
  };
  readonly logs?: readonly PageLogEntry[];
  /** Number of log entries omitted from `logs`. */
  readonly moreLogs?: number;
  readonly routing?: {
    /** Routes of which everything but one thing matched. */
    readonly near?: readonly PageRouteTrace[];
    /** Number of routes that were tried. */
    readonly tried?: number;
    /** Paths or route names the reader may have meant, best first. */
    readonly didYouMean?: readonly { readonly name: string; readonly path: string }[];
    /** Methods allowed at this path (405). */
    readonly allow?: readonly string[];
  };
  /** The controller, if its return value caused the error and no frame of the stack is the application's. */
  readonly controller?: ReportedFrame;
  /** What the request did until then: kinds of work, in the order of a bar, with their times in milliseconds and in words. */
  readonly times?: readonly {
    readonly category: string;
    readonly words: string;
    readonly ms: number;
    readonly time: string;
  }[];
  /** The record of this request in the profiler. */
  readonly record?: { readonly token: string; readonly link: string };
  /** `LOOKBACK_IDE`: `vscode`, `phpstorm`, … or a template with `%f` and `%l`, then `&/in/container>/on/host` path maps. */
  readonly editor?: string;
}

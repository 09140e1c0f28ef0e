import type { ReportedFrame } from './error-report.js';

/** One log entry as the error page shows it. */
export interface PageLogEntry {
  /** Milliseconds since the request began, or a clock time as text. */
  readonly time: number | string;
  readonly level: string;
  readonly channel: string;
  readonly message: string;
  /** Text of the entry's data, already pictured. */
  readonly context?: string;
}

/** How one route fared when the path was matched. */
export interface PageRouteTrace {
  readonly name: string;
  readonly path: string;
  readonly methods: readonly string[];
  /** Why it did not match, in words: `path does not match`, `method GET is not among POST`. */
  readonly reason: string;
  /** It came near: everything matched but this. */
  readonly near?: boolean;
}

/** Context of the error: plain data, all optional, no secrets (headers, query and cookies are redacted again). */
export interface ErrorPageContext {
  readonly request?: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
    readonly query?: readonly (readonly [name: string, value: string])[];
    readonly cookies?: readonly (readonly [name: string, value: string])[];
    /** Beginning of the body as text. */
    readonly body?: string;
  };
  readonly logs?: readonly PageLogEntry[];
  /** Log entries left out. */
  readonly moreLogs?: number;
  readonly routing?: {
    readonly trace?: readonly PageRouteTrace[];
    /** Paths or route names the reader may have meant, best first. */
    readonly didYouMean?: readonly { readonly name: string; readonly path: string }[];
    /** Methods allowed at this path (405). */
    readonly allow?: readonly string[];
  };
  /** The controller, where the error came from what it gave back and no call of the stack is the application's. */
  readonly controller?: ReportedFrame;
  /** The record of this request in the profiler. */
  readonly record?: { readonly token: string; readonly link: string };
  /** `LOOKBACK_IDE`: `vscode`, `phpstorm`, … or a template with `%f` and `%l`, then `&/in/container>/on/host` path maps. */
  readonly editor?: string;
}

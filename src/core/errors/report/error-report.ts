import type { Snapshot } from '#core/dump';

/** A frame's origin: the application, a package (the framework counts as one), Node itself, eval, or native code. */
export type FrameKind = 'app' | 'library' | 'node' | 'eval' | 'native';

/** Source lines around a position. */
export interface Excerpt {
  /** Number of the first line shown, from 1. */
  readonly startLine: number;
  readonly lines: readonly string[];
  /** The frame's line; `column` counts from 1 within the line as shown, which may be truncated at its start. */
  readonly line: number;
  readonly column: number;
  /**
   * The constructs open at the start of each line (`*` a comment, `` ` `` a template …), for highlighting; absent if
   * there are none.
   */
  readonly open?: readonly string[];
  /** The file changed after this process started, so lines may have moved. */
  readonly changed?: true;
}

/** One stack call, innermost first. */
export interface ReportedFrame {
  /** Position in the stack, from 1. */
  readonly index: number;
  /** Function name; empty for anonymous functions and at the top level of a module. */
  readonly function: string;
  /** File for display: relative to the project, `package/…` for packages, `node:…` for Node. Empty if there is none. */
  readonly file: string;
  /** Absolute path to the original source on this machine. */
  readonly path?: string;
  /** From 1; 0 if unknown. */
  readonly line: number;
  /** From 1; 0 if unknown. */
  readonly column: number;
  readonly kind: FrameKind;
  /** Package name of a library frame. */
  readonly library?: string;
  /** The frame was reached through an `await`. */
  readonly async: boolean;
  readonly excerpt?: Excerpt;
  /** The local variables at the time of the throw: a branch with an entry for each, redacted and bounded. */
  readonly locals?: Snapshot;
  /** Why a frame with a file has no excerpt, or no local variables. */
  readonly note?: string;
}

/** One error in a chain, as plain data without secrets. */
export interface ReportedError {
  /** Position in its chain, from 1 (innermost). */
  readonly number: number;
  /** Unique in the report: `1`, `2`; `2.1` for the first error aggregated by error 2. */
  readonly label: string;
  /** Name of the class; `string`, `undefined`, … for thrown values that are not errors. */
  readonly class: string;
  readonly message: string;
  readonly code?: string;
  /** How to fix the problem, if the error has such a property. */
  readonly fix?: string;
  /** Status of an `HttpError`. */
  readonly status?: number;
  /** The thrown value is not an error but a string, a plain object, … */
  readonly isNoError?: true;
  /** The error's own properties except message, stack and cause; absent if there are none. */
  readonly properties?: Snapshot;
  /** Innermost call first. */
  readonly frames: readonly ReportedFrame[];
  /** Number of omitted frames: frames shared with a previous error, and those at the end of a long stack. */
  readonly moreFrames?: number;
  /** True for the error that decided the response. */
  readonly isOuter: boolean;
  /**
   * How another error replaced this one before it was answered: a listener assigned `event.error`, or threw while
   * handling this one.
   */
  readonly replaced?: { readonly by: string; readonly how: 'assigned' | 'threw' };
  /** The errors of an AggregateError, each with its own chain. */
  readonly children?: readonly ReportedChain[];
  /** Number of aggregated errors omitted from `children`. */
  readonly moreChildren?: number;
  /** The cause's label, if the chain ends here because the cause is already shown. */
  readonly circularTo?: string;
}

/** A chain of causes, innermost error first. */
export interface ReportedChain {
  readonly errors: readonly ReportedError[];
  /** Number of inner causes that are omitted. */
  readonly more?: number;
}

/**
 * Everything that an error page, a problem document or a record shows about a thrown value: plain, bounded, redacted
 * JSON.
 */
export interface ErrorReport extends ReportedChain {
  /** Response status: the outer error's, or 500. */
  readonly status: number;
  /** The outer error's class and message. */
  readonly class: string;
  readonly message: string;
  /**
   * The first application frame, searched from the innermost error outwards, otherwise the outer error's first frame
   * with a file.
   */
  readonly origin?: { readonly error: string; readonly frame: number };
  /** Set if a listener answered the error with a status below 400, so the client got no error. */
  readonly answered?: { readonly by: string; readonly status: number };
}

/** One log entry as the error page shows it. */
export interface PageLogEntry {
  /** Milliseconds since the request began, or a clock time as text. */
  readonly time: number | string;
  readonly level: string;
  readonly channel: string;
  readonly message: string;
  /** The entry's data as text. */
  readonly context?: string;
}

/** A route that nearly matched the request. */
export interface PageRouteTrace {
  readonly name: string;
  readonly path: string;
  /** Why the route did not match: `path does not match`, `method GET is not among POST`. */
  readonly reason: string;
}

/** A database statement that failed with an error. */
export interface FailedStatement {
  /** The database and the duration: `postgresql · 7.76 ms`. */
  readonly label: string;
  readonly sql: string;
  /** The part that the database names as the cause, as indexes of `sql`. */
  readonly mark?: readonly [from: number, to: number];
  /** Its keywords, as indexes of `sql`. */
  readonly keywords?: readonly (readonly [from: number, to: number])[];
  /** `The database refused this statement`, or a title that says less. */
  readonly title?: string;
  /** What the request had done before it: `2 queries · 1 call · 3 log lines`; undefined if that is not known. */
  readonly before?: string;
  /** Its values, named `$1 (id)`. */
  readonly values: readonly (readonly [name: string, value: Snapshot])[];
  /** Position among the request's queries: `query 2 of 3`. */
  readonly place: string;
  /** The page that shows it among the others. */
  readonly href?: string;
}

/** The outgoing call that failed with an error none of whose stack frames is in the application. */
export interface FailedCall {
  /** Method and URL: `GET https://example.com/`. */
  readonly request: string;
  /** Where the application made the call. */
  readonly site: {
    /** `loadPrices (src/prices.ts:12:9)`. */
    readonly text: string;
    readonly file: string;
    readonly line: number;
    readonly column: number;
  };
  /** Position among the request's calls: `call 2 of 3`. */
  readonly place: string;
  /** The page that shows it among the others. */
  readonly href?: string;
}

/** Facts about an error from earlier requests: how often it was seen, and the last successful request on its route. */
export interface ErrorHistory {
  /** `3 times, first 19 min ago`. */
  readonly seen: string;
  /** How often it occurred in equal parts of the time since its first occurrence; undefined if it occurred once. */
  readonly counts?: readonly number[];
  /** The route's newest earlier request that succeeded; null if there is none, undefined if unknown. */
  readonly lastGood?: LastGoodRequest | null;
}

/** The route's newest earlier request that succeeded. */
interface LastGoodRequest {
  /** `GET /products/8 → 200, 12 min ago`. */
  readonly text: string;
  readonly href: string;
  /** The page that compares both requests. */
  readonly comparison: string;
  /** Differences in the client's input; undefined if the other request cannot be read. */
  readonly differences?: readonly InputDifference[];
}

/** A value that differs from that of an earlier request; without `sides`, other facts about both. */
export interface InputDifference {
  /** Name of the value, or the facts: `headers: accept`. */
  readonly text: string;
  readonly sides?: readonly [before: string, now: string];
}

/** The error's context: optional plain data, bounded and without secrets (URL and headers are redacted again). */
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
    /** Routes for which all but one condition matched. */
    readonly near?: readonly PageRouteTrace[];
    /** Number of routes that were tried. */
    readonly tried?: number;
    /** Paths or route names the reader may have meant, best first. */
    readonly didYouMean?: readonly { readonly name: string; readonly path: string }[];
    /** Methods allowed at this path (405). */
    readonly allow?: readonly string[];
  };
  /** The controller, if its return value caused the error and no stack frame is in the application. */
  readonly controller?: ReportedFrame;
  /** The statement that failed with the error, or with one of its causes. */
  readonly statement?: FailedStatement;
  /** The outgoing call that failed with it, if no stack frame is in the application. */
  readonly call?: FailedCall;
  /** Facts about the error from earlier requests. */
  readonly history?: ErrorHistory;
  /** This request's record in the profiler. */
  readonly record?: { readonly token: string; readonly link: string };
  /**
   * `LOOKBACK_IDE`: `vscode`, `phpstorm`, … or a template with `%f` and `%l`, then `&/in/container>/on/host` path maps.
   */
  readonly editor?: string;
}

import type { Profiler } from '#profiler';
import type { RouteCollection } from '#routing';

/** The data and permissions of an MCP server. */
export interface McpOptions {
  readonly records: Pick<
    Profiler,
    'find' | 'list' | 'totals' | 'news' | 'onNews' | 'collected' | 'counters' | 'state'
  >;
  /** The application's routes; without them, only the routes found in records are known. */
  readonly routes?: RouteCollection | undefined;
  /** Origin to which requests are replayed. Default: the one in the record, only if it is this machine. */
  readonly replayTo?: string | undefined;
  /** Whether requests that may change something may be replayed. Default false. */
  readonly write?: boolean | undefined;
}

/** Input of a tool: every parameter is text. */
export type ToolInput = Readonly<Record<string, string | undefined>>;

/** Output of a tool: text, part of which may come from outside. */
export interface ToolText {
  readonly text: string;
  /** Cursor of the next page, if the tool itself divides its output. */
  readonly next?: string | null;
  readonly isError?: boolean;
}

/** A tool of the MCP server. */
export interface RecordTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Descriptions of the parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly required?: readonly string[];
  /** Whether the tool sends a request to the application. */
  readonly acts?: boolean;
  readonly run: (input: ToolInput, options: McpOptions) => Promise<ToolText>;
}

/** Returns a problem as output, so that the assistant can correct itself. */
export function refuseTool(text: string): ToolText {
  return { text, isError: true };
}

import type { Profiler } from '#profiler';
import type { RouteCollection } from '#routing';

/** What an MCP server works on. */
export interface McpOptions {
  readonly records: Pick<
    Profiler,
    'find' | 'list' | 'totals' | 'news' | 'onNews' | 'collected' | 'counters' | 'state'
  >;
  /** The application's routes; without them, only the routes found in records are known. */
  readonly routes?: RouteCollection | undefined;
  /** Where requests are replayed; default: the address that the record names, on this machine only. */
  readonly replayTo?: string | undefined;
  /** Requests that may change something may be replayed as well. Default no. */
  readonly write?: boolean | undefined;
}

/** What a tool is given: every parameter is a text. */
export type ToolInput = Readonly<Record<string, string | undefined>>;

/** What a tool gives: text, part of which came from outside. */
export interface ToolText {
  readonly text: string;
  /** Cursor of what follows, where the tool divides its answer itself. */
  readonly next?: string | null;
  readonly isError?: boolean;
}

/** One tool. */
export interface RecordTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Descriptions of its parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly required?: readonly string[];
  /** It sends a request to the application. */
  readonly acts?: boolean;
  readonly run: (input: ToolInput, options: McpOptions) => Promise<ToolText>;
}

/** A problem as an answer, so that the assistant can correct itself. */
export function refuseTool(text: string): ToolText {
  return { text, isError: true };
}

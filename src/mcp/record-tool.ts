import { type OptionNames, optionNames } from '#coded-error';
import type { Profiler } from '#profiler';

/** The data and permissions of an MCP server. */
export interface McpOptions {
  readonly records: Pick<Profiler, 'find' | 'list' | 'totals' | 'news' | 'collected'>;
  /** Origin to which requests are replayed. Default: the one in the record, only if it is this machine. */
  readonly replayTo?: string | undefined;
  /** Whether requests that may change something may be replayed. Default false. */
  readonly write?: boolean | undefined;
}

export const mcpOptionNames: OptionNames<McpOptions> = optionNames('records replayTo write');

/** Input of a tool: every parameter is text. */
export type ToolInput = Readonly<Record<string, string | undefined>>;

/** Output of a tool: text, part of which may come from outside. */
export interface ToolText {
  readonly text: string;
  /** The same as data, for tools that declare an `output`. */
  readonly data?: Readonly<Record<string, unknown>>;
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
  /** JSON Schema of `data`, an object. */
  readonly output?: Readonly<Record<string, unknown>>;
  /** Whether the tool sends a request to the application. */
  readonly acts?: boolean;
  readonly run: (input: ToolInput, options: McpOptions) => Promise<ToolText>;
}

/** Returns a problem as output, so that the assistant can correct itself. */
export function refuseTool(text: string): ToolText {
  return { text, isError: true };
}

/** Returns the JSON Schema of an object with a list of rows under `name`, and whatever else the tool adds. */
export function listOutput(name: string): Readonly<Record<string, unknown>> {
  return {
    type: 'object',
    properties: {
      [name]: { type: 'array', items: { type: 'object' } },
      complete: { type: 'boolean', description: 'False if a limit was reached: there may be more.' },
    },
    required: [name],
  };
}

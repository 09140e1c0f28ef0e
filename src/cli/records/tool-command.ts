import { type Command, createCommand } from '#core/command';
import { loadTools } from '#profiler';
import { type CliOutput, renderJson, UsageError } from '../command-line/terminal.js';
import { jsonOption, storeOption } from './open-records.js';
import { storeSource } from './store-source.js';

/** Bytes of an answer: rows are limited by their number, and a terminal and a pipe take all of them. */
const budget = 16 * 1024 * 1024;

/** The tool behind a command, if named differently, and the parameters passed as arguments instead of options. */
export interface ToolWords {
  readonly tool?: string;
  readonly arguments?: readonly string[];
}

/** A tool for assistants as a command, with the same words, as text for people or as JSON with one line per row. */
export async function toolCommand(
  output: CliOutput,
  command: string,
  { tool: name = command, arguments: words = ['query…'] }: ToolWords = {},
): Promise<Command> {
  const { callTool, recordTools } = await loadTools();
  const tool = recordTools.find((one) => one.name === name);
  if (tool === undefined) throw new UsageError(`There is no tool "${name}".`);
  const isQuery = words.includes('query…');
  const parameters = Object.entries(tool.parameters).filter(
    ([key]) => key !== 'as' && key !== 'query' && !words.includes(key),
  );
  const options = Object.fromEntries(
    parameters.map(([key, { description, type }]) => [
      key,
      { type: type === 'boolean' ? 'boolean' : 'string', description } as const,
    ]),
  );
  return createCommand(
    command,
    {
      description: tool.description.replace(/^Start here\. /, ''),
      positionals: words,
      options: { ...storeOption, ...jsonOption, ...options },
    },
    async ({ options: { store, json, ...given }, positionals }) => {
      const query = positionals.join(' ');
      const named = words.map((word, at) => [word, positionals[at]] as const);
      const input = {
        ...given,
        ...(isQuery ? {} : Object.fromEntries(named)),
        ...(!isQuery || query === '' || tool.parameters['query'] === undefined ? {} : { query }),
        ...(json === true && tool.parameters['as'] !== undefined ? { as: 'data' } : {}),
      };
      const { text, data, isError } = await callTool(tool, input, {
        source: storeSource(store, { isCommand: true }),
        budget,
      });
      if (isError) {
        output.err(`${text}\n`);
        return 1;
      }
      const found = data?.['rows'];
      const rows: readonly unknown[] = Array.isArray(found) ? found : tool.row === undefined ? [data] : [];
      if (json === true) for (const row of rows) output.out(`${renderJson(row)}\n`);
      else output.out(`${text}\n`);
      return data?.['shown'] === 0 ? 1 : 0;
    },
  );
}

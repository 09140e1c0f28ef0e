import { type Command, createCommand } from '#core/command';
import { loadTools } from '#profiler';
import { type CliOutput, renderJson, UsageError } from '../command-line/terminal.js';
import { jsonOption, storeOption } from './open-records.js';
import { storeSource } from './store-source.js';

const maxBudget = 20_000;

/** A tool for assistants as a command, with the same words, as text for people or as JSON with one line per row. */
export async function toolCommand(output: CliOutput, name: string): Promise<Command> {
  const { callTool, recordTools } = await loadTools();
  const tool = recordTools.find((one) => one.name === name);
  if (tool === undefined) throw new UsageError(`There is no tool "${name}".`);
  const parameters = Object.entries(tool.parameters).filter(([key]) => key !== 'as' && key !== 'query');
  const options = Object.fromEntries(
    parameters.map(([key, { description }]) => [key, { type: 'string', description } as const]),
  );
  return createCommand(
    name,
    {
      description: tool.description.replace(/^Start here\. /, ''),
      positionals: ['query…'],
      options: { ...storeOption, ...jsonOption, ...options },
    },
    async ({ options: { store, json, ...given }, positionals }) => {
      const query = positionals.join(' ');
      const input = {
        ...given,
        ...(query === '' || tool.parameters['query'] === undefined ? {} : { query }),
        ...(json === true && tool.row !== undefined ? { as: 'data' } : {}),
        budget: maxBudget,
      };
      const { text, data, isError } = await callTool(tool, input, { source: storeSource(store) });
      if (isError) {
        output.err(`${text}\n`);
        return 1;
      }
      const found = data?.['rows'];
      const rows: readonly unknown[] = Array.isArray(found) ? found : [];
      if (json === true) for (const row of rows) output.out(`${renderJson(row)}\n`);
      else output.out(`${text}\n`);
      return data?.['shown'] === 0 ? 1 : 0;
    },
  );
}

import { type Command, createCommand } from '#core/command';
import { loadTools } from '#profiler';
import { type CliOutput, renderJson, terminalText } from '../command-line/terminal.js';
import { cliErrors } from '../command-line/error-codes.js';
import { jsonOption, storeOption, withRecords } from './open-records.js';
import { storeSource } from './store-source.js';

const sendOptions = {
  to: {
    type: 'string',
    description: 'Origin to send requests to (default: the record’s own, if it is this machine)',
  },
  write: { type: 'boolean', description: 'Also send requests that may change something' },
} as const;

export function mcpCommand(): Command {
  return createCommand(
    'mcp',
    {
      description:
        'Serves the records to an assistant over the Model Context Protocol, on standard input and output.',
      options: { ...storeOption, ...sendOptions },
    },
    async ({ options: { store, to, write } }) => {
      const { serveMcp } = await import('#profiler/mcp');
      await serveMcp({ records: storeSource(store), write, replayTo: to });
    },
  );
}

export function replayCommand(output: CliOutput): Command {
  return createCommand(
    'replay',
    {
      description:
        'Sends a recorded request again, without redacted values, and reports the result: resolved and new findings, queries and\n' +
        'time. Exit code 1 for a status of 400 or more, a truncated response, or an exception.',
      positionals: ['token'],
      options: { ...storeOption, ...jsonOption, ...sendOptions },
    },
    ({ options: { store, json, to, write }, positionals: [token] }) => {
      if (token === undefined) throw cliErrors.create('CLI_NO_TOKEN', { command: 'replay' });
      return withRecords(store, async (archive) => {
        const { replayAndCompare } = await loadTools();
        const found = await archive.find(token);
        const answer =
          found.kind === 'found'
            ? await replayAndCompare(archive, found.record, { to, mayWrite: write })
            : `there is no record ${token}`;
        if (typeof answer === 'string') {
          output.err(`It was not sent: ${answer}.\n`);
          return 1;
        }
        const { isGood, lines, data } = answer;
        output.out(
          json === true ? `${renderJson(data)}\n` : lines.map((line) => `${terminalText(line)}\n`).join(''),
        );
        return isGood ? 0 : 1;
      });
    },
  );
}

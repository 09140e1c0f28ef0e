import { type Command, createCommand } from '#core/command';
import { type CliOutput } from '../command-line/terminal.js';
import { cliErrors } from '../command-line/error-codes.js';
import { storeOption, withRecords } from './open-records.js';

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
      await withRecords(store, (records) => serveMcp({ records, write, replayTo: to }));
    },
  );
}

export function replayCommand(output: CliOutput): Command {
  return createCommand(
    'replay',
    {
      description:
        'Sends a recorded request again, without redacted values. Exit code 1 for a status of 400 or more.',
      positionals: ['token'],
      options: { ...storeOption, ...sendOptions },
    },
    ({ options: { store, to, write }, positionals: [token] }) => {
      if (token === undefined) throw cliErrors.create('CLI_NO_TOKEN', { command: 'replay' });
      return withRecords(store, async (archive) => {
        const { replayRequest } = await import('#profiler');
        const found = await archive.find(token);
        const answer =
          found.kind === 'found'
            ? await replayRequest(found.record, { to, mayWrite: write })
            : `there is no record ${token}`;
        if (typeof answer === 'string') {
          output.err(`It was not sent: ${answer}.\n`);
          return 1;
        }
        const { status, token: fresh, leftOut } = answer;
        output.out(`${status}${fresh === undefined ? '' : ` ${fresh}`}\n`);
        if (leftOut.length > 0) output.err(`Not sent: ${leftOut.join(', ')}\n`);
        return status < 400 ? 0 : 1;
      });
    },
  );
}

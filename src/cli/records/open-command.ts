import { once } from 'node:events';
import { type Command, createCommand } from '#core/command';
import { createProfilerPages } from '#profiler';
import { type CliOutput, UsageError } from '../command-line/terminal.js';
import { storeOption, withRecords } from './open-records.js';

export function openCommand(output: CliOutput): Command {
  return createCommand(
    'open',
    {
      description:
        'Serves the pages of the profiler on this machine, without the application, until you interrupt it: for a file of\n' +
        'records (record.json, records.jsonl) or a store.',
      positionals: ['file'],
      options: {
        ...storeOption,
        port: { type: 'string', default: '0', description: 'Port on 127.0.0.1 (default: any free port)' },
      },
    },
    ({ options: { store, port }, positionals: [file] }) =>
      withRecords(file ?? store, async (archive) => {
        const number = Number(port);
        if (!Number.isInteger(number) || number < 0 || number > 65_535)
          throw new UsageError(`--port must be a port number, not "${port}".`);
        const { rows, next } = await archive.list({ limit: 1 });
        const { createApp } = await import('#framework/app'); // needed by no other record command
        const app = createApp({
          configuration: {
            env: 'prod',
            debug: false,
            profilerStore: 'off',
            host: '127.0.0.1',
            port: number,
            trustedHosts: ['127.0.0.1', 'localhost'],
          },
          routes: createProfilerPages({ reader: archive }).map(({ controller, ...page }) => ({
            ...page,
            controller: ({ request }) => controller(request),
          })),
        });
        const { url } = await app.listen();
        const [only] = rows;
        output.out(`${url}/_profiler/${only !== undefined && next === null ? only.token : ''}\n`);
        await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
        await app.close();
        return 0;
      }),
  );
}

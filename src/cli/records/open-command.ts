import { once } from 'node:events';
import { type Command, createCommand } from '#command';
import { createProfilerPages, openStore, type Retention } from '#profiler';
import { type CliOutput, UsageError, readNumber } from '../command-line/terminal.js';
import { storeOption, withRecords, storeAddress, unbounded } from './open-records.js';

/** `lookback open`. */
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
        const { createApp } = await import('#framework'); // needed by no other command on records
        const app = createApp({
          configuration: { env: 'prod', debug: false, profilerStore: 'off', host: '127.0.0.1', port: number },
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

/** `lookback store prune`. */
export function storeCommand(output: CliOutput): Command {
  return createCommand(
    'store',
    {
      description: 'prune: removes records beyond the given limits',
      positionals: ['prune'],
      options: {
        ...storeOption,
        'max-count': { type: 'string', description: 'Maximum number of records' },
        'max-age': { type: 'string', description: 'Maximum age of records, in seconds' },
        'max-bytes': { type: 'string', description: 'Maximum size of all records, in bytes' },
        all: { type: 'boolean', description: 'Remove all records' },
      },
    },
    async ({ options, positionals: [action] }) => {
      const address = storeAddress(options.store);
      if (action !== 'prune') throw new UsageError('Name the action: prune.');
      const [count, age, bytes] = (['max-count', 'max-age', 'max-bytes'] as const).map((name) => {
        const text = options[name];
        return text === undefined ? undefined : readNumber(name, text);
      });
      if (options.all !== true && (count ?? age ?? bytes) === undefined)
        throw new UsageError('Pass a limit (--max-count, --max-age, --max-bytes), or --all.');
      const retention = {
        ...unbounded,
        ...(count === undefined ? {} : { records: count }),
        ...(age === undefined ? {} : { ageMs: age * 1000 }),
        ...(bytes === undefined ? {} : { bytes }),
      };
      return prune(address, { bounds: retention, isAll: options.all === true, output });
    },
  );
}

async function prune(
  address: string,
  {
    bounds,
    isAll,
    output,
  }: { readonly bounds: Partial<Retention>; readonly isAll: boolean; readonly output: CliOutput },
): Promise<number> {
  await withRecords(address, (archive) => archive.list({ limit: 1 })); // throws unless the store exists and is ours
  const store = openStore(address, { retention: bounds });
  try {
    if (isAll)
      for (const bucket of ['app', 'profiler'] as const) await store.update({ bucket }, { remove: true });
    const { tally } = await store.append({ records: [] });
    output.out(`${address}: ${tally.records} records are left, ${tally.bytes} bytes.\n`);
    return 0;
  } finally {
    await store.close();
  }
}

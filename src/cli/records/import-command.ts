import { type Command, createCommand } from '#command';
import { importRecords, openStore, storeNameOf } from '#profiler';
import { type CliOutput, renderJson, terminalText, UsageError } from '../command-line/terminal.js';
import { storeAddress, storeOption, unbounded } from './open-records.js';
import { readRecordFile } from './read-record-file.js';

/** Maximum number of tokens to list without `--json`. */
const maxListed = 20;

/** `lookback import`. */
export function importCommand(output: CliOutput): Command {
  return createCommand(
    'import',
    {
      description:
        'Adds the records of files to the store, marked as imported: JSON lines, a record as JSON, or an HTTP archive\n' +
        '(HAR) of a browser, without its secrets. "-" is standard input. A record that is already in the store is not added again.',
      positionals: ['file…'],
      options: {
        ...storeOption,
        json: {
          type: 'boolean',
          description: 'Print the new and the old tokens as JSON, one line per record',
        },
      },
    },
    async ({ options: { store: given, json }, positionals: files }) => {
      if (files.length === 0) throw new UsageError('Name the file of records, or "-" for standard input.');
      const address = storeAddress(given);
      const all = files.map((file) => ({ file, ...readRecordFile(file) })); // all files are read before anything is written
      const store = openStore(address, { retention: unbounded });
      try {
        for (const { file, records, leftOut } of all) {
          const found = await importRecords(store, records, file === '-' ? 'standard input' : file);
          const fresh = found.filter(({ wasThere }) => !wasThere);
          output.out(
            json === true ? found.map(asJson).join('') : fresh.slice(0, maxListed).map(asLine).join(''),
          );
          output.err(
            [
              ...(json !== true && fresh.length > maxListed
                ? [`… and ${fresh.length - maxListed} more.`]
                : []),
              `${file}: ${fresh.length} records were imported into ${storeNameOf(address)}.`,
              ...(found.length > fresh.length
                ? [`${found.length - fresh.length} were already in the store.`]
                : []),
              ...(leftOut > 0 ? [`${leftOut} entries were skipped: they are not HTTP requests.`] : []),
            ]
              .map((line) => `${line}\n`)
              .join(''),
          );
        }
        return all.some(({ records }) => records.length > 0) ? 0 : 1;
      } finally {
        await store.close();
      }
    },
  );
}

type Imported = Awaited<ReturnType<typeof importRecords>>[number];

function asJson({ token, record, wasThere }: Imported): string {
  return `${renderJson({ token, importedToken: record.token, wasThere })}\n`;
}

function asLine({ token, record: { request } }: Imported): string {
  return `${token}  ${terminalText(`${request.method} ${request.path}`)}\n`;
}

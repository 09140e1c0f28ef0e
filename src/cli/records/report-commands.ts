import { type Command, createCommand } from '#core/command';
import { type RecordReport, recordReports } from '#profiler';
import {
  type Cells,
  type CliOutput,
  formatTime,
  readNumber,
  renderJson,
  renderRows,
  UsageError,
} from '../command-line/terminal.js';
import { readQueryWords } from './records-command.js';
import { jsonOption, limitOption, maxLines, storeOption, withRecords } from './open-records.js';

/** `lookback errors`, `slow`, `count` or `logs`. */
export function reportCommand(output: CliOutput, name: keyof typeof recordReports): Command {
  const report: RecordReport = recordReports[name];
  const { description } = report;
  const { columns: width } = output;
  const parameters = Object.entries(report.parameters).map(
    ([parameter, about]) => [parameter, { type: 'string', description: about }] as const,
  );
  return createCommand(
    name,
    {
      description,
      positionals: ['query…'],
      options: { ...storeOption, ...jsonOption, ...limitOption, ...Object.fromEntries(parameters) },
    },
    ({ options, positionals }) => {
      const { store, json, limit: lines, ...rest } = options;
      const values: Readonly<Record<string, string | undefined>> = rest;
      return withRecords(store, async (archive) => {
        const where = readQueryWords(archive, positionals);
        const limit = readNumber('limit', lines, maxLines);
        const found = await report.read(archive, { where, limit, values });
        // Names the option as it is typed here.
        if (typeof found === 'string') throw new UsageError(found.replace(/^"(\w+)"/, '--$1'));
        const { rows, complete, total = rows.length } = found;
        const shown = rows.slice(0, limit);
        if (json === true) for (const row of shown) output.out(`${renderJson(row)}\n`);
        else if (name === 'count' && values['by'] === undefined) output.out(`${total}\n`);
        else if (shown.length > 0) {
          const cells = shown.map((row) => report.cells(row, { time: formatTime, values }));
          const isCut = name === 'errors' && width !== undefined;
          const fitting = isCut ? cells.map((row) => fitError(row, width)) : cells;
          output.out(renderRows(fitting, { width, flexible: ['Message', 'Error', 'Location', 'Route'] }));
        } else output.err('Nothing matches.\n');
        if (!complete)
          output.err('A limit was reached: there may be more. Narrow the query, or see --limit.\n');
        return total === 0 ? 1 : 0;
      });
    },
  );
}

/** A terminal only has room for the file name and the time of day, and a narrow one not for the class. */
function fitError(
  { Error: error = '', Location = '', First: _first, Last = '', Token = '', ...row }: Cells,
  width: number,
): Cells {
  const kept = width < 100 ? row : { ...row, Error: error };
  return { ...kept, Location: Location.slice(Location.lastIndexOf('/') + 1), Last: Last.slice(5, 16), Token };
}

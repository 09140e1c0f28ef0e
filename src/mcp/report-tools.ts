import { type RecordReport, recordReports } from '#profiler';
import { listOutput, type RecordTool, refuseTool } from './record-tool.js';
import { clip, language, readWhere } from './request-tools.js';

const maxRows = 50;
const maxTextLength = 300;
const incomplete = 'A limit was reached: there may be more, and counts are lower bounds.';

/** Tools that answer questions about many requests. */
export const reportTools: readonly RecordTool[] = Object.values<RecordReport>(recordReports).map(
  (report) => ({
    name: report.tool,
    title: report.title,
    description: report.description,
    parameters: { query: language, ...report.parameters },
    output: listOutput(report.list),
    async run({ query = '', ...values }, { records }) {
      const where = readWhere(query, records);
      const found =
        typeof where === 'string' ? where : await report.read(records, { where, limit: maxRows, values });
      if (typeof found === 'string') return refuseTool(found);
      const { rows, complete, total } = found;
      const shown = rows.slice(0, maxRows).map(clipTexts);
      const cells = shown.map((row) => report.cells(row, { time: isoTime, values }));
      const lines = [
        ...(total === undefined ? [] : [`${total} requests`]),
        ...[...cells.slice(0, 1).map(Object.keys), ...cells.map(Object.values<string>)].map((line) =>
          line.join(' | ').replace(/\s+/g, ' '),
        ),
        ...(complete ? [] : [incomplete]),
      ];
      return {
        data: { [report.list]: shown, complete, total },
        text: lines.length === 0 ? 'There is none.' : lines.join('\n'),
      };
    },
  }),
);

function clipTexts(row: object): object {
  const fields = Object.entries(row).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? clip(value, maxTextLength) : value,
  ]);
  return Object.fromEntries(fields) as object; // typed as any
}

function isoTime(at: number): string {
  return new Date(Math.abs(at) <= 8.64e15 ? at : 0).toISOString();
}

import diagnostics from 'node:diagnostics_channel';

const queries = diagnostics.channel('lookback:persistence:query');

/** Five log lines, and what three statements publish on the query channel, without a database. */
export function busyWork(name, log) {
  for (let line = 1; line <= 5; line++) log.info('A line of the log.', { name, line });
  for (let id = 1; id <= 3 && queries.hasSubscribers; id++) {
    queries.publish({
      sql: 'select a.* from article a where a.author = ? and a.id > ? order by a.id limit 20',
      params: [name, id],
      durationMs: 0.4,
      rows: 20,
      connection: 'main',
      error: undefined,
      callSite: [{ name: 'work', file: import.meta.url, line: 40, column: 5 }],
    });
  }
  return { hello: name };
}

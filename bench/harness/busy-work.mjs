import diagnostics from 'node:diagnostics_channel';

const queries = diagnostics.channel('lookback:persistence:query');

/** Writes five log lines, and publishes three queries on the query channel, without a database. */
export function busyWork(name, log) {
  for (let line = 1; line <= 5; line++) log.info('A log line.', { name, line });
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

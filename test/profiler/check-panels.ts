import assert from 'node:assert/strict';
import { breakdownOf, type ProfileRecord, timeCategories } from 'lookback/profiler';

/** Reads a profiler page by its path below the prefix. */
export type ReadPage = (path: string, accept?: string) => Promise<string>;

/** A page's text as a reader sees it. */
export function textOf(html: string): string {
  return html
    .replace(/<(script|style)[^]*?<\/\1>/g, '')
    .replace(/<wbr[^>]*>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&#39;', "'")
    .replace(/\s+/g, ' ')
    .replaceAll(' ,', ',');
}

/** Milliseconds in the format of the pages. */
export function shown(ms: number): string {
  if (ms >= 999.5) return `${(ms / 1000).toFixed(2)} s`;
  return `${ms.toFixed(ms >= 99.95 ? 0 : ms >= 9.995 ? 1 : 2)} ms`;
}

function millisecondsOf(text: string): number {
  const [number = '', unit] = text.split(' ');
  return Number(number) * (unit === 's' ? 1000 : 1);
}

/** The maximum difference between a displayed figure and its value. */
function roundingOf(ms: number): number {
  return ms >= 999.5 ? 5.1 : ms >= 99.95 ? 0.51 : ms >= 9.995 ? 0.051 : 0.0051;
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const panelOf = async (read: ReadPage, { token }: ProfileRecord, panel: string): Promise<string> => {
  const html = await read(`${token}?panel=${panel}`);
  return html.slice(html.indexOf('<main'), html.lastIndexOf('</main>'));
};

/** Checks the numbers and bars on each panel against the record, whose facts are known. */
export async function checkPanels(read: ReadPage, record: ProfileRecord): Promise<void> {
  await checkOverview(read, record);
  await checkTime(read, record);
  await checkLists(read, record);
  await checkRequest(read, record);
  await checkToolbar(read, record);
}

/** The headline number, the legend of its bar, and the counts in the menu. */
async function checkOverview(read: ReadPage, record: ProfileRecord): Promise<void> {
  const about = `overview of ${record.request.path}`;
  const html = await panelOf(read, record, 'overview');
  const text = textOf(html);
  assert.ok(text.includes(shown(record.durationMs)), about);
  const breakdown = breakdownOf(record);
  const [legend = ''] = /<ul class="legend"[^]*?<\/ul>/.exec(html) ?? [];
  const listed = [...legend.matchAll(/<strong>([\d.]+ m?s)<\/strong>/g)].map(([, time = '']) => time);
  const parts = timeCategories.map((category) => breakdown[category]);
  assert.deepEqual(listed, parts.filter((ms) => ms > record.durationMs / 200).map(shown), about);
  const [bar = ''] = /<svg class="req-bar"[^]*?<\/svg>/.exec(html) ?? [];
  const widths = [...bar.matchAll(/ width="([\d.]+)%"/g)].map(([, width]) => Number(width));
  assert.ok(Math.abs(sumOf(widths) - 100) <= 1, `${about}: a bar of ${sumOf(widths)} %`);
  const menu = textOf(html.slice(html.indexOf('<nav'), html.lastIndexOf('</nav>')));
  assert.match(menu, new RegExp(`Time ${record.timeline.length} `), about);
  assert.match(menu, new RegExp(`Events ${sumOf(record.events.map((one) => one.listeners.length))} `), about);
}

/** Every bar in the waterfall has the position and length of the figures next to it; the slivers of a bar add up to its figure. */
async function checkTime(read: ReadPage, record: ProfileRecord): Promise<void> {
  const { durationMs, timeline } = record;
  const html = await panelOf(read, record, 'time');
  const about = `time of ${record.request.path}`;
  assert.match(
    textOf(html),
    new RegExp(`${timeline.length} steps? in ${shown(durationMs).replace('.', '\\.')}`),
  );
  const rows = html.split('<tr>').filter((row) => row.includes('<td class="track"'));
  assert.ok(rows.length > 0, about);
  for (const row of rows) {
    const [start = '', time = ''] = [...row.matchAll(/<td class="end[^"]*">([^<]*)</g)].map(
      ([, words = '']) => words,
    );
    const bars = [...row.matchAll(/<rect class="(?!hull)[^"]*" x="([\d.]+)%"[^>]* width="([\d.]+)%"/g)].map(
      ([, x, width]) => ({ x: (Number(x) / 100) * durationMs, ms: (Number(width) / 100) * durationMs }),
    );
    const name = `${about}: ${textOf(row)}`;
    assert.ok(bars.length > 0, name);
    // Figures have three digits, and a bar has a minimum visible width.
    const tolerance = durationMs * 0.0002 + roundingOf(millisecondsOf(start));
    const least = bars.length * durationMs * 0.0016;
    assert.ok(Math.abs((bars[0]?.x ?? 0) - millisecondsOf(start)) <= tolerance + least, name);
    const drawn = sumOf(bars.map(({ ms }) => ms));
    const wanted = millisecondsOf(time);
    assert.ok(Math.abs(drawn - wanted) <= least + wanted * 0.01 + 0.006, `${name}: drawn ${drawn}`);
  }
}

/** Counts, texts and times of queries, calls, log lines and the exception. */
async function checkLists(read: ReadPage, record: ProfileRecord): Promise<void> {
  const { sections, logs, exception } = record;
  const { queries = [] } = (sections['db'] ?? {}) as {
    queries?: readonly { sql: string; durationMs: number }[];
  }; // the type that the collector stores
  const database = textOf(await panelOf(read, record, 'db'));
  if (queries.length === 0) assert.match(database, /No quer/);
  else {
    const total = sumOf(queries.map(({ durationMs }) => durationMs));
    assert.ok(
      database.includes(`queries ${queries.length} `) || database.includes(`query ${queries.length} `),
      database,
    );
    assert.ok(database.includes(`${shown(total)} `), `${shown(total)}: ${database}`);
    for (const { sql } of queries) assert.ok(database.includes(sql), sql);
  }
  const { calls = [] } = (sections['http'] ?? {}) as {
    calls?: readonly { url: string; status: number; durationMs: number }[];
  }; // the type that the collector stores
  const outgoing = textOf(await panelOf(read, record, 'http'));
  if (calls.length === 0) assert.match(outgoing, /No outgoing request in this record/);
  for (const { url, status, durationMs } of calls)
    for (const part of [new URL(url).pathname, String(status), shown(durationMs)])
      assert.ok(outgoing.includes(part), `${part}: ${outgoing}`);
  const lines = textOf(await panelOf(read, record, 'logs'));
  let at = 0;
  for (const { level, message, offsetMs } of logs) {
    for (const part of [shown(offsetMs), level, message]) {
      at = lines.indexOf(part, at);
      assert.ok(at >= 0, `${part} in its order: ${lines}`);
    }
  }
  const thrown = textOf(await panelOf(read, record, 'exception'));
  for (const { class: name, message } of exception?.errors ?? [])
    assert.ok(thrown.includes(name) && thrown.includes(message), thrown);
  if (exception === null) assert.match(thrown, /No (?:exception|error)/);
}

/** The request, the response, the route and the configuration. */
async function checkRequest(read: ReadPage, record: ProfileRecord): Promise<void> {
  const { request, response, route, config } = record;
  const exchange = textOf(await panelOf(read, record, 'request'));
  for (const [name, value] of response?.headers ?? [])
    assert.ok(exchange.includes(`${name} ${value}`), `${name}: ${exchange}`);
  assert.ok(exchange.includes(`Target ${request.target}`), exchange);
  const routing = textOf(await panelOf(read, record, 'routing'));
  assert.ok(routing.includes(`Route ${route?.name} Path ${route?.path}`), routing);
  // Traces are omitted once the process has used up its time budget for them.
  const isTraced = (route?.trace ?? null) !== null;
  assert.equal(/Outcome match/.test(routing), isTraced, routing);
  const settings = textOf(await panelOf(read, record, 'config'));
  assert.ok(settings.includes(`node ${String(config['node'])}`), settings);
}

/** The toolbar's entries and cards match the record. */
async function checkToolbar(read: ReadPage, record: ProfileRecord): Promise<void> {
  const html = await read(`${record.token}/toolbar`);
  const entryOf = (id: string): string =>
    new RegExp(`data-entry="${id}">[^]*?</li>(?=<li|</ul><div class="fetches")`).exec(html)?.[0] ?? '';
  const wordsOf = (id: string): string | undefined => /<span[^>]*>([^<]*)</.exec(entryOf(id))?.[1];
  assert.ok(wordsOf('status')?.endsWith(` ${record.response?.status}`));
  assert.equal(wordsOf('time'), shown(record.durationMs));
  const bar = /<svg class="req-bar"[^]*?<\/svg>/.exec(entryOf('time'))?.[0] ?? '';
  const drawn = sumOf([...bar.matchAll(/ width="([\d.]+)%"/g)].map(([, width]) => Number(width)));
  assert.ok(Math.abs(drawn - 100) <= 1, `${drawn} % of the time`);
  assert.equal(wordsOf('logs') ?? '0 log lines', countWords(record.logTotals.total));
  const sentence = textOf(/class="sentence">([^]*?)<\/p>/.exec(entryOf('time'))?.[1] ?? '').trim();
  assert.ok(sentence !== '', entryOf('time'));
  assert.ok(textOf(await panelOf(read, record, 'overview')).includes(sentence), sentence);
  for (const id of ['status', 'time', 'db', 'logs', 'user', 'route']) {
    const links = /class="links">([^]*?)<\/div>/.exec(entryOf(id))?.[1];
    assert.equal(links?.match(/<a /g)?.length ?? 3, 3, id);
  }
}

function countWords(lines: number): string {
  return lines === 1 ? '1 log line' : `${lines} log lines`;
}

/** A comparison shows the difference between the records, and its parts add up to it. */
export async function checkComparison(
  read: ReadPage,
  first: ProfileRecord,
  second: ProfileRecord,
): Promise<void> {
  const html = await read(`compare/${first.token}/${second.token}`);
  const text = textOf(html);
  // The earlier record comes first, in whichever order they were requested.
  const [before, after] = first.startedAt <= second.startedAt ? [first, second] : [second, first];
  const signed = (ms: number): string => `${ms < 0 ? '−' : '+'}${shown(Math.abs(ms))}`;
  const difference = signed(after.durationMs - before.durationMs).replace(/ m?s$/, '');
  assert.ok(text.includes(difference), `${difference}: ${text}`);
  const isRefused = ({ response }: ProfileRecord): boolean => (response?.status ?? 0) >= 400;
  const isJudged = /<span class="(?:less|more)-time">/.test(html);
  assert.ok(!isJudged || isRefused(before) === isRefused(after), 'a failure is not called faster or slower');
  const [was, is] = [breakdownOf(before), breakdownOf(after)];
  for (const category of timeCategories)
    if (Math.max(was[category], is[category]) >= 0.01)
      assert.ok(
        text.includes(`${shown(was[category])} ${shown(is[category])}`),
        `${category}: ${shown(was[category])} ${shown(is[category])} in ${text}`,
      );
}

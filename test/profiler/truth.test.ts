import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createApp, HttpResponse } from 'lookback';
import {
  breakdownOf,
  findingsOf,
  type ProfileRecord,
  type ProfileSummary,
  timeCategories,
} from 'lookback/profiler';
import { recordQuery } from 'lookback/instrumentation';
import { checkComparison, checkPanels, shown, textOf } from './check-panels.js';
import { until } from '../until.js';

/** Facts about a request that are known without the profiler, measured by the test and by the application. */
interface Known {
  readonly token: string;
  readonly path: string;
  /** By the clock of the client, which shares it with the application. */
  readonly from: number;
  readonly to: number;
  /** The whole process's CPU time. */
  readonly ranMs: number;
  /** Time during which the main thread had no CPU, if the system reports it: at least `from`, and at most `to`. */
  readonly stoppedMs: { readonly least: number; readonly most: number };
  /** Measured by the application: its queries, and its beginning and end. */
  readonly queries: readonly number[];
  readonly worked: readonly [from: number, to: number];
}

interface RecordedQuery {
  readonly durationMs: number;
  readonly callSite: readonly { readonly file: string; readonly line: number }[];
}

/** The sentences that must appear about a request for a path, or may appear if they are marked as possible. */
interface Expected {
  readonly findings?: readonly RegExp[];
  readonly queries?: number;
  readonly calls?: number;
  readonly problem?: string;
}

const expected: Readonly<Record<string, Expected>> = {
  '/fast': {},
  '/wait': {},
  '/work': { findings: [/^Blocked the event loop /] },
  '/loop': {
    findings: [/^\S*truth\.test\.[jt]s:\d+ ran the same query 6 times /],
    queries: 6,
    problem: 'N+1 ×6',
  },
  '/slow-query': { findings: [/^1 query took /], queries: 1, problem: 'One query took {time}' },
  '/call': { calls: 1 },
  '/logs': {
    findings: [/^1 error was logged, 2 warnings were logged; first error: two$/],
    problem: '1 logged error',
  },
  '/throw': {
    findings: [/^TypeError: The shelf fell, from test.profiler.truth\.test\.ts:\d+$/],
    problem: 'The shelf fell.',
  },
  '/itself': { findings: [/^Redirects to itself$/] },
  '/cookie': { findings: [/^Browsers drop the cookie “a”: SameSite=None needs Secure$/] },
};
/** Sentences that depend on the machine; their numbers are checked against the measurements. */
const measured =
  /^(?:(.+) (?:took|waited) (.+?) of (.+?)(?: for something that lookback does not watch)?(?:, from .+)?|Blocked the event loop (?:\d+ times )?for (.+)|(?:Code outside any known request|(\w{6,})) blocked the event loop (?:\d+ times )?for (.+) meanwhile|May have waited up to .+ before it was read: .+ blocked the event loop|The machine was busy for (.+))$/;

const workMs = 150;
/** Main thread times, on Linux. */
const schedule = '/proc/self/schedstat';
const run = promisify(execFile);

function millisecondsOf(text: string): number {
  const [number = '', unit] = text.replaceAll(',', '').split(' ');
  assert.ok(unit === 'ms' || unit === 's', text);
  return Number(number) * (unit === 's' ? 1000 : 1);
}

/** Uses CPU time for a while, whatever else the machine is doing. */
function work(ms: number): void {
  const begun = process.cpuUsage();
  for (let ran = 0; ran < ms * 1000;) {
    const { user, system } = process.cpuUsage(begun);
    ran = user + system;
  }
}

function stoppedMs(): number {
  try {
    return Number(readFileSync(schedule, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

function ranMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

describe('a day of requests with known facts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-truth-'));
  const store = `sqlite:${join(folder, 'profiler.db')}`;
  const app = createApp({
    configuration: { env: 'dev', debug: true, profilerStore: store, host: '127.0.0.1', port: 0 },
    logHandlers: [],
  });
  const stock = createServer((_request, response) => void wait(30).then(() => response.end('3')));
  let url = '';
  let queries: number[] = [];
  let worked: [number, number] = [0, 0];
  /** Requests to /wait also wait for this. */
  let held: Promise<unknown> = Promise.resolve();
  const query = async (ms: number, id: number): Promise<void> => {
    const startedAt = performance.now();
    await wait(ms); // the query takes this long
    const durationMs = performance.now() - startedAt;
    queries.push(durationMs);
    recordQuery({ sql: 'select name from shelves where id = ?', params: [id], durationMs });
  };
  /** Runs a controller and measures it. */
  const measure = async (controller: () => unknown): Promise<unknown> => {
    const from = performance.now();
    try {
      return await controller();
    } finally {
      worked = [from, performance.now()];
    }
  };
  before(async () => {
    stock.listen(0, '127.0.0.1');
    const route = (path: string, controller: () => unknown): void =>
      void app.get(path, () => measure(controller));
    route('/fast', () => 'fast');
    route('/wait', () => Promise.all([wait(60), held]).then(() => 'waited'));
    route('/work', () => {
      work(workMs);
      return 'worked';
    });
    route('/loop', async () => {
      for (let id = 0; id < 6; id++) await query(2, id);
      return 'looped';
    });
    route('/slow-query', () => query(160, 7).then(() => 'found'));
    route('/call', async () => {
      const { port } = stock.address() as AddressInfo; // it listens on a port
      return (await fetch(`http://127.0.0.1:${port}/stock`)).text();
    });
    app.get('/logs', ({ log }) => {
      log.warning('one');
      log.error('two');
      log.warning('three');
      return 'logged';
    });
    route('/throw', () => {
      throw new TypeError('The shelf fell.');
    });
    app.get('/itself', () => HttpResponse.redirect('/itself'));
    app.get('/cookie', () => HttpResponse.text('ok', { headers: { 'Set-Cookie': 'a=1; SameSite=None' } }));
    ({ url } = await app.listen());
    for (const path of Object.keys(expected)) await ask(path); // loads code that is loaded only once
    await app.profiler?.purge('app');
  });
  after(async () => {
    stock.close();
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (path: string): Promise<Known> => {
    queries = [];
    worked = [0, 0];
    const [from, ran, stopped] = [performance.now(), ranMs(), stoppedMs()];
    const answer = await fetch(url + path, { redirect: 'manual', headers: { Accept: 'text/plain' } });
    await answer.text();
    const token = answer.headers.get('x-debug-token') ?? '';
    await app.profiler?.find(token); // wait until its record is closed
    // The process may be stopped between two of these lines.
    const least = stoppedMs() - stopped;
    const to = performance.now();
    const most = stoppedMs() - stopped;
    return { token, path, from, to, ranMs: ranMs() - ran, stoppedMs: { least, most }, queries, worked };
  };
  const read = async (path: string, accept = 'text/html'): Promise<string> =>
    (await fetch(`${url}/_profiler/${path}`, { headers: { Accept: accept } })).text();
  const rowOf = async (token: string): Promise<ProfileSummary> => {
    const row = (await app.profiler?.list({ limit: 500 }))?.rows.find((one) => one.token === token);
    assert.ok(row !== undefined);
    return row;
  };

  /** Checks one record, wherever it is shown, against the known facts. */
  async function check(known: Known): Promise<void> {
    const { token, path } = known;
    const record = JSON.parse(await read(`${token}.json`)) as ProfileRecord; // the record as JSON
    const row = await rowOf(token);
    const { findings: sentences = [], queries: count = 0, calls = 0, ...rest } = expected[path] ?? {};
    const problem = rest.problem?.replace('{time}', shown(known.queries[0] ?? 0));
    const about = `${path} ${token}`;

    assert.ok(record.durationMs <= known.to - known.from, `${about} took longer than the client waited`);
    assert.ok(
      record.durationMs >= known.worked[1] - known.worked[0] - 0.1,
      `${about} is shorter than its controller`,
    );
    checkTimes(record, row, about);
    assert.deepEqual(
      [row.collected['db.queries'] ?? 0, row.collected['http.calls'] ?? 0],
      [count, calls],
      about,
    );
    for (const [at, { durationMs }] of queriesOf(record).entries())
      assert.ok(Math.abs(durationMs - (known.queries[at] ?? 0)) < 0.001, `${about}: query ${at + 1}`);

    const texts = findingsOf(record).map(({ text }) => text);
    for (const sentence of sentences)
      if (!measured.test(String(texts.find((text) => sentence.test(text)))) || path === '/slow-query')
        assert.ok(
          texts.some((text) => sentence.test(text)),
          `${about}: ${sentence}\n${texts.join('\n')}`,
        );
    for (const text of texts) {
      if (measured.test(text)) checkSentence(text, record, known);
      else
        assert.ok(
          sentences.some((sentence) => sentence.test(text)),
          `${about}: “${text}”`,
        );
    }
    const [page, markdown, cards] = [
      textOf(await read(`${token}?panel=overview`)),
      await read(`${token}.md`),
      await read(`${token}?panel=time`),
    ];
    for (const text of texts) {
      assert.ok(page.includes(text), `${about}: the page lacks “${text}”`);
      assert.ok(plainOf(markdown).includes(plainOf(text)), `${about}: the Markdown lacks “${text}”`);
    }
    assert.ok(textOf(cards).includes(shown(record.durationMs)), about);
    if (problem !== undefined)
      assert.ok((await listRow(token)).includes(problem), `${about}: ${await listRow(token)}`);
    if (path === '/loop' || path === '/slow-query') {
      const { file = '', line } = queriesOf(record)[0]?.callSite[0] ?? {};
      assert.match(file, /truth\.test\.[jt]s$/, about);
      const location = `${problem} ${basename(file)}:${line}`;
      assert.ok((await listRow(token)).includes(location), `${about}: “${location}” is not in the list`);
    }
  }

  const plainOf = (text: string): string => text.replace(/[\\`*_]/g, '');
  const listHtml = async (token: string): Promise<string> =>
    (await read('?limit=500')).split('<tr').find((part) => part.includes(`value="${token}"`)) ?? '';
  const listRow = async (token: string): Promise<string> => textOf(await listHtml(token));

  function checkTimes(record: ProfileRecord, row: ProfileSummary, about: string): void {
    const [ofRecord, ofRow] = [breakdownOf(record), breakdownOf(row)];
    assert.ok(Math.abs(record.durationMs - row.durationMs) < 0.001, about);
    const sum = timeCategories.reduce((total, category) => total + ofRecord[category], 0);
    assert.ok(Math.abs(sum - record.durationMs) < 0.001, `${about}: ${JSON.stringify(ofRecord)}`);
    for (const category of timeCategories)
      assert.ok(Math.abs(ofRecord[category] - ofRow[category]) < 0.01, `${about}: ${category}`);
    for (const { name, startMs, durationMs } of record.timeline)
      assert.ok(startMs >= 0 && startMs + durationMs <= record.durationMs + 0.01, `${about}: ${name}`);
  }

  /** Checks the numbers in a sentence about time. */
  function checkSentence(text: string, record: ProfileRecord, known: Known): void {
    const [, , part, whole, own, other, theirs, stopped] = measured.exec(text) ?? [];
    const within = (value: string | undefined, limit: number): void =>
      assert.ok(
        value === undefined || millisecondsOf(value) <= limit * 1.01 + 0.01,
        `${known.path}: “${text}” > ${limit}`,
      );
    within(part, record.durationMs);
    if (whole !== undefined) assert.equal(whole, shown(record.durationMs));
    if (text.startsWith('1 query took'))
      assert.ok(
        known.queries.some((ms) => shown(ms) === part),
        text,
      );
    // A request that blocks the event loop uses a CPU or waits for the system; if unknown, it counts as using a CPU.
    within(own, existsSync(schedule) ? known.to - known.from - known.stoppedMs.least : known.ranMs);
    within(stopped, known.stoppedMs.most);
    within(theirs, record.durationMs);
    if (other !== undefined)
      assert.equal(blockers.has(other), true, `“${text}”, which began when it had ended`);
  }

  function queriesOf({ sections }: ProfileRecord): readonly RecordedQuery[] {
    const db = sections['db'] as { readonly queries: readonly RecordedQuery[] } | undefined; // the type that the collector stores
    return db?.queries ?? [];
  }

  /** Requests that ran while others did. */
  const blockers = new Set<string>();

  it('one after another: each sentence and number is right, and no request is said to have waited for one that had ended', async () => {
    const day: Known[] = [];
    for (const path of Object.keys(expected)) day.push(await ask(path));
    for (const known of day) await check(known);
    const work = day.find(({ path }) => path === '/work');
    const record = JSON.parse(await read(`${work?.token ?? ''}.json`)) as ProfileRecord; // the record as JSON
    const own = findingsOf(record).find(({ text }) => text.startsWith('Blocked the event loop '));
    assert.ok(own !== undefined || (work?.ranMs ?? 0) < workMs, JSON.stringify(record.sections['loop']));
  });

  it("panels, toolbar and comparison show the record's numbers, in bars of the right length and position", async () => {
    const records: ProfileRecord[] = [];
    for (const path of Object.keys(expected)) {
      const { token } = await ask(path);
      records.push(JSON.parse(await read(`${token}.json`)) as ProfileRecord); // the record as JSON
    }
    for (const record of records) await checkPanels(read, record);
    for (const record of records.slice(1)) await checkComparison(read, records[0] ?? record, record);
  });

  it('concurrently: waiting requests name the one that they wait for', async () => {
    // If a busy machine stops the process for that long, the cause is ambiguous: the requests are sent again.
    await until(async () => {
      let release: (value?: unknown) => void = () => undefined;
      held = new Promise((resolve) => (release = resolve));
      const waiting = ask('/wait');
      await until(() => app.profiler?.counters().open !== 0);
      const blocking = await ask('/work');
      release();
      blockers.add(blocking.token);
      const known = await waiting;
      await check({ ...known, worked: [0, 0] });
      blockers.clear();
      const record = JSON.parse(await read(`${known.token}.json`)) as ProfileRecord; // the record as JSON
      const said = `${blocking.token} blocked the event loop `;
      return findingsOf(record).some(({ text }) => text.startsWith(said));
    }, 'a sentence that names the request that blocked the event loop');
  });

  it('on a busy machine: no request is said to have worked while the process did not run', async () => {
    const busy = Array.from({ length: availableParallelism() * 2 }, () =>
      spawn(process.execPath, ['-e', 'for(;;);'], { stdio: 'ignore' }),
    );
    try {
      const day: Known[] = [];
      for (const path of ['/fast', '/loop', '/work', '/wait', '/logs']) day.push(await ask(path));
      for (const one of busy) one.kill('SIGKILL');
      for (const known of day) await check(known);
    } finally {
      for (const one of busy) one.kill('SIGKILL');
    }
  });

  it('list bars match the times next to them, share one axis, and do not change on reload', async () => {
    const rows = (await app.profiler?.list({ limit: 500 }))?.rows ?? [];
    const html = await read('?limit=500');
    const axis = /(?:class="axis".*?)<text x="100%"[^>]*>([\d.]+)\s*(ms|s)</s.exec(html);
    const end = Number(axis?.[1]) * (axis?.[2] === 's' ? 1000 : 1);
    assert.ok(end > 0, 'an axis');
    assert.ok(rows.length >= Object.keys(expected).length);
    for (const row of rows) {
      const part = html.split('<tr').find((one) => one.includes(`value="${row.token}"`)) ?? '';
      const bar = /<svg class="req-bar"[^>]*>([^]*?)<\/svg>/.exec(part)?.[1] ?? '';
      const widths = [...bar.matchAll(/ width="([\d.]+)%"/g)].map(([, width]) => Number(width));
      const drawn = (widths.reduce((sum, width) => sum + width, 0) / 100) * end;
      const exact = Math.min(row.durationMs, end);
      assert.ok(Math.abs(drawn - exact) <= end * 0.005, `${row.path}: ${drawn} of ${exact} ms`);
      assert.ok(part.includes(`>${shown(row.durationMs)}<`), `${row.path}: ${shown(row.durationMs)}`);
    }
    const chartOf = (page: string): string => /<figure[^]*?<\/figure>/.exec(page)?.[0] ?? '';
    for (let reload = 0; reload < 3; reload++)
      assert.equal(chartOf(await read('?limit=500')), chartOf(html), 'reloading does not change the chart');
  });

  it('totals for routes, errors and the terminal match the records', async () => {
    const rows = (await app.profiler?.list({ limit: 500 }))?.rows ?? [];
    const routes = textOf(await read('routes'));
    for (const path of Object.keys(expected)) {
      const times = rows.filter((row) => row.path === path).map(({ durationMs }) => durationMs);
      const name = rows.find((row) => row.path === path)?.route ?? '';
      const [line = ''] = new RegExp(`${name} ${times.length} .*?(?= get_|$)`).exec(routes) ?? [];
      assert.ok(line.includes(shown(Math.max(...times))), `${path}: “${line}” of ${times.join()}`);
    }
    const thrown = rows.filter(({ exception }) => exception !== null).length;
    assert.match(textOf(await read('errors')), new RegExp(`${thrown} The shelf fell\\.`));
    await app.profiler?.flush();
    const { stdout } = await run(process.execPath, [
      resolve('dist/bundle/cli.js'),
      'records',
      '--json',
      '-n',
      '500',
      '--store',
      store,
    ]);
    const printed = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ProfileSummary); // a row of the list
    assert.deepEqual(
      printed.map(({ token, status, durationMs }) => [token, status, durationMs]),
      rows.map(({ token, status, durationMs }) => [token, status, durationMs]),
    );
    const [throwing] = rows.filter(({ exception }) => exception !== null);
    const { stdout: text } = await run(process.execPath, [
      resolve('dist/bundle/cli.js'),
      'show',
      throwing?.token ?? '',
      '--store',
      store,
    ]);
    assert.match(text, /truth\.test\.ts:\d+/, 'the terminal shows the line of the application');
  });
});

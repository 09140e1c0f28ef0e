import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { after, before, describe, it } from 'node:test';
import { createApp } from 'lookback';

const queries = channel('lookback:persistence:query');
const app = createApp({
  configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
  logHandlers: [],
});
app.get('/large', ({ log }) => {
  for (let at = 0; at < 10_000; at++) log.info(`Line ${at} of a long log`, { article: at, tags: ['a', 'b'] });
  for (let at = 0; at < 2000; at++) {
    const sql = `select ${at % 100 === 0 ? 'distinct ' : ''}a${at % 60}.* from article where id = ?`;
    const callSite = [{ name: 'list', file: `${process.cwd()}/src/journal.ts`, line: at, column: 1 }];
    queries.publish({ sql, params: [at], durationMs: 0.1, rows: 1, connection: 'main', callSite });
  }
  return 'large';
});

const peer = { address: '127.0.0.1' };

describe('a record of 10,000 log lines and 2,000 queries', () => {
  let record: string;
  before(async () => {
    const answer = await app.fetch('/large', { peer });
    await answer.text();
    record = `/_profiler/${String(answer.headers.get('x-debug-token'))}`;
    await (await app.fetch(record, { peer })).text(); // the first request loads the pages
  });
  after(() => app.close());

  /** A page without its style sheets and scripts. */
  const open = async (query: string): Promise<{ html: string; cpuMs: number }> => {
    const begun = process.cpuUsage();
    const text = await (await app.fetch(`${record}${query}`, { peer })).text();
    const { user, system } = process.cpuUsage(begun);
    return { html: text.replace(/<(style|script)\b[^]*?<\/\1>/g, ''), cpuMs: (user + system) / 1000 };
  };

  for (const panel of ['overview', 'logs', 'db', 'time', 'self'])
    it(`opens its ${panel} panel in 60 kB and less than 300 ms of CPU time`, async (t) => {
      const times: number[] = [];
      for (let round = 0; round < 3; round++) {
        const { html, cpuMs } = await open(`?panel=${panel}`);
        assert.ok(html.length <= 60_000, `${html.length} characters`);
        times.push(cpuMs);
      }
      const [, median = Infinity] = times.toSorted((a, b) => a - b);
      t.diagnostic(`${median.toFixed(1)} ms`);
      assert.ok(median < 300, `${median} ms`);
    });

  it('reports what its limits cut off', async () => {
    const told = async (panel: string, words: RegExp): Promise<void> => {
      const { html } = await open(`?panel=${panel}`);
      assert.ok(words.test(html), `${panel}: ${String(words)}`);
    };
    await told('logs', /of 10,00\d entries were left out/);
    await told('db', /further queries were counted, but not kept/);
    await told('self', /logs[^]*?10,00\d/);
  });

  it('has links to rows beyond the first page', async () => {
    const { html } = await open('?panel=time&threshold=all');
    const found = (panel: string): readonly string[] =>
      [...html.matchAll(/href="([^"]+)"/g)]
        .map(([, href = '']) => href.replaceAll('&amp;', '&'))
        .filter((href) => href.includes(`panel=${panel}`) && href.includes('#'));
    for (const panel of ['logs', 'db']) {
      const href = found(panel).at(-1) ?? '';
      const [path = '', anchor = ''] = href.split('#');
      assert.match(anchor, /-\d\d+$/);
      const page = await (await app.fetch(path, { peer })).text();
      assert.ok(page.includes(`id="${anchor}"`), href);
    }
  });

  it('explains how locations become links if no editor is set', async () => {
    const hint = 'Set LOOKBACK_IDE';
    assert.ok((await open('?panel=exception')).html.includes(hint));
    assert.ok(!(await open('?panel=logs')).html.includes(hint));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordSchema } from '../../model/profile-record.js';
import type { HttpResponse } from '#core/http';
import { bodyOf } from '../../../../test/profiler/open-page.js';
import { outcomeOf, pageRequest, siteOf } from '../../../../test/profiler/page-outline.js';
import { plain } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Panel } from '../../sections/panel.js';
import { showData, showSearch } from './show-data.js';

describe("a record's data", () => {
  const typeOf = async (format: 'json' | 'har' | 'curl' | 'md', target = '/'): Promise<readonly string[]> => {
    const answer = await showData(siteOf([plain]), pageRequest(target), { token: 'abcdef', format });
    return [answer.headers.get('content-type') ?? '', bodyOf(answer).slice(0, 12)];
  };

  it('is JSON, HAR, a curl script or Markdown', async () => {
    assert.deepEqual(await typeOf('json'), ['application/json', `{"schema":${recordSchema},`.slice(0, 12)]);
    assert.deepEqual(await typeOf('har'), ['application/json', '{"log":{"ver']);
    assert.deepEqual(await typeOf('curl'), ['text/plain; charset=utf-8', 'curl --globo']);
    assert.deepEqual(await typeOf('md'), ['text/markdown; charset=utf-8', '# 200 GET ht']);
  });

  it('as Markdown has the panels that the record opens with, then those with warnings, and not the empty ones', async () => {
    const panel = (id: string, badge: ReturnType<Panel['badge']>, more: Partial<Panel> = {}): Panel => ({
      id,
      title: id,
      badge: () => badge,
      show: () => [{ kind: 'note', text: `of ${id}`, tone: 'neutral' }],
      ...more,
    });
    const chip = (tone: 'warn' | 'error' | 'neutral') => ({ count: 1, tone, words: tone });
    const panels = [
      panel('plain', 'plain'),
      panel('empty', undefined),
      panel('neutral', chip('neutral')),
      panel('warn', chip('warn')),
      panel('error', chip('error')),
      panel('opens', 'plain', { opens: () => true }),
      panel('broken', 'plain', { show: () => [{ kind: 'pairs', label: '', pairs: null }] as never }), // a panel's mistake
    ];
    const headings = async (target: string): Promise<readonly string[]> => {
      const site = siteOf([plain], { panels });
      const answer = await showData(site, pageRequest(target), { token: 'abcdef', format: 'md' });
      assert.match(bodyOf(answer), target === '/' ? /The panel “broken” failed/ : /^#/);
      return [...bodyOf(answer).matchAll(/^## (.*)$/gm)].map(([, title = '']) => title);
    };
    assert.deepEqual(await headings('/'), ['opens', 'error', 'warn', 'plain', 'neutral', 'broken']);
    assert.deepEqual(await headings('/?panel=warn,empty'), ['empty', 'warn']);
    assert.match(
      String(
        await outcomeOf(
          showData(siteOf([plain], { panels }), pageRequest('/?panel=warn,no'), {
            token: 'abcdef',
            format: 'md',
          }),
        ),
      ),
      /^404 unknown-panel: There is no panel “no”/,
    );
  });

  it('has no CPU profile unless one was taken; the miss says why', async () => {
    const profileOf = (sections: ProfileRecord['sections']): Promise<HttpResponse> =>
      showData(siteOf([{ ...plain, sections }]), pageRequest('/'), { token: 'abcdef', format: 'cpuprofile' });
    assert.match(
      String(await outcomeOf(profileOf({}))),
      /^404 no-cpu-profile: .* None was requested: add _profile=cpu/,
    );
  });

  it('of a search has its rows, or the records of at most 100 of them', async () => {
    const many = Array.from({ length: 120 }, (_, at) => ({
      ...plain,
      token: `abc${String(at).padStart(3, '0')}`,
    }));
    const rows = JSON.parse(bodyOf(await showSearch(siteOf(many), pageRequest('/?limit=120'), 'json'))) as {
      schema: number;
      rows: unknown[];
    };
    assert.deepEqual([rows.schema, rows.rows.length], [recordSchema, 120]);
    const archive = JSON.parse(bodyOf(await showSearch(siteOf(many), pageRequest('/?limit=120'), 'har'))) as {
      log: { entries: unknown[] };
    };
    assert.equal(archive.log.entries.length, 100);
    assert.match(
      String(await outcomeOf(showSearch(siteOf([]), pageRequest('/?limit=0&q=statsu:1'), 'json'))),
      /^400 bad-filter: Invalid filter\. limit: “0” is not applicable\. Use a number from 1 to 500\. q: /,
    );
  });
});

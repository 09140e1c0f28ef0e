import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import type { Block } from '../../view/block.js';
import type { PanelContext } from '../panel.js';
import {
  completed,
  contextWith,
  plain,
  query,
  shown,
  textOf,
} from '../../../../test/profiler/plain-record.js';
import { overviewPanel, usualTime } from './panel.js';

type Answer = Extract<Block, { kind: 'answer' }>;

describe('the overview', () => {
  it('always has a summary', () => {
    assert.match(textOf(overviewPanel, {}), /(?:took|accounts for) (?:most of it|the largest part)/);
    assert.match(textOf(overviewPanel, { response: null }), /No response was sent/);
  });

  it('shows the worst finding with its location, otherwise the largest part of the time', () => {
    const answer = (changes: Partial<ProfileRecord>, context: Partial<PanelContext> = {}): Answer => {
      const [first] = overviewPanel.show(completed({ ...plain, ...changes }), contextWith({}, context));
      assert.ok(first?.kind === 'answer');
      return first;
    };
    const timeline = [{ name: 'a', category: 'rendering', startMs: 0, durationMs: 15 }];
    const quiet = answer({ timeline, durationMs: 18 });
    assert.match(quiet.sentence.title, /^Rendering took most of it: .+ of .+/);
    const callSite = [{ name: 'all', file: resolve('src/list.ts'), line: 31, column: 1 }];
    const queries = [1, 2, 3].map((id) =>
      query({ params: [{ name: 'id', value: { type: 'number', text: String(id) } }], callSite }),
    );
    const db = { totals: {}, queries, changes: [], groups: [] };
    const group = {
      kind: 'n+1',
      sql: 'a',
      count: 3,
      durationMs: 9,
      callSite: callSite[0],
      queries: [0, 1, 2],
    };
    const sections = { db: { ...db, groups: [group], totals: { failed: 0 } } };
    const looped = answer(
      { timeline, durationMs: 18, sections },
      { editor: (path, line) => ({ href: `code:${path}:${line}`, scheme: 'code:' }) },
    );
    assert.match(looped.sentence.title, /src\/list\.ts:31/);
    assert.deepEqual(looped.sentence.location?.text, 'src/list.ts:31');
    assert.equal(looped.sentence.location?.href, `code:${resolve('src/list.ts')}:31`);
    const unknown = answer({ timeline, durationMs: 400, sections });
    assert.match(unknown.sentence.title, /^No step accounts for most of it: 385 ms of 400 ms/);
    const stops = [{ startMs: 0, durationMs: 400, ms: 385 }];
    const loop = { ownMs: 0, waits: [], stops };
    const stopped = answer({ timeline, durationMs: 400, sections: { ...sections, loop } });
    assert.equal(
      stopped.sentence.title,
      'Other processes on a busy machine took most of it: 385 ms of 400 ms',
    );
  });

  it('says how long the route usually takes, based on other finished requests', () => {
    const route = { name: 'a', path: '/a', parameters: [], trace: null, allow: [] };
    const row = (token: string, durationMs: number): ProfileSummary =>
      ({ token, durationMs, state: 'complete' }) as ProfileSummary; // only these fields are read
    const usual = (related: readonly ProfileSummary[]): string => {
      const [first] = overviewPanel.show({ ...plain, route }, contextWith({}, { related }));
      return first?.kind === 'answer' ? first.usual : '';
    };
    assert.equal(usual([row(plain.token, 900)]), 'the only request of this route so far');
    const usualOf = (of: ProfileRecord['route']): string =>
      usualTime({ ...plain, route: of }, contextWith({}, { related: [] }));
    assert.equal(usualOf({ ...route, name: null, path: null }), 'no route matched');
    assert.equal(usualOf(null), 'no route recorded');
    assert.equal(usual([row(plain.token, 900), row('b', 40)]), 'one other request: 40.0 ms');
    const rows = [row('b', 9), row('c', 41), row('d', 800), row('f', 12)];
    assert.equal(usual(rows), '4 other requests of this route so far');
    const unfinished = { ...row('e', 5), state: 'unfinished' } as ProfileSummary; // as above
    assert.equal(usual([...rows, unfinished]), '4 other requests of this route so far');
    assert.equal(usual([...rows, row('g', 80)]), 'usual 41.0 ms (5 requests)');
    const fast = [row('b', 9), row('c', 41), row('d', 80), row('f', 12), row('g', 30)];
    assert.equal(usual(fast), 'usual 30.0 ms (5 requests); this one is slower than all of them');
  });

  it("folds a long timeline's bars until few are left", () => {
    const timeline = Array.from({ length: 300 }, (_, at) => ({
      name: `q${at}`,
      category: 'database',
      startMs: at * 0.5,
      durationMs: 0.4,
    }));
    const [block] = shown(overviewPanel, { timeline })
      .flatMap((one) => (one.kind === 'section' ? one.blocks : []))
      .filter(({ kind }) => kind === 'timeline');
    assert.ok(block?.kind === 'timeline' && block.spans.length <= 12);
  });
});

describe('the related records in an overview', () => {
  it('have the same route, method and origin; there are none without a route', () => {
    const route = { name: 'home', path: '/', parameters: [], trace: null, allow: [] };
    assert.deepEqual(overviewPanel.related?.({ ...plain, route }), {
      origin: 'app',
      where: [
        { columns: ['route'], test: { kind: 'is', texts: ['home'] } },
        { columns: ['method'], test: { kind: 'is', texts: ['GET'] } },
      ],
    });
    assert.equal(overviewPanel.related?.(plain), undefined);
    assert.equal(overviewPanel.related?.({ ...plain, route: { ...route, name: null } }), undefined);
  });
});

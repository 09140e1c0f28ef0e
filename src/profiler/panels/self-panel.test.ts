import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { facts, textOf } from '../../../test/profiler/plain-record.js';
import { renderBlocksMarkdown } from '../api/render-blocks-markdown.js';
import { type ProfilerFacts, stateBlocks } from './blocks/state-blocks.js';
import { configPanel, selfPanel } from './self-panel.js';

describe('the panel of the profiler itself', () => {
  const text = (changes: Partial<ProfilerFacts>): string =>
    renderBlocksMarkdown(stateBlocks({ ...facts, ...changes }), 2);
  it('says what a failing store is wrong with, and what records cost', () => {
    const { counters, state } = facts;
    assert.match(text({ counters: { ...counters, made: 4, recordingMs: 10 } }), /For each record: `2.50 ms`/);
    assert.match(
      text({ state: { ...state, status: 'failing', message: 'It is away.', code: 'PROFILER_STORE_AWAY' } }),
      /It is away\. \(PROFILER\\_STORE\\_AWAY\)/,
    );
  });

  it('is shown with what bounds cut away, beside the configuration', () => {
    const limits = [{ what: 'logs', kept: 3, total: 1200, limit: 3 }];
    assert.match(textOf(selfPanel, { limits }), /`logs` \| `3` \| `1,200` \| `3`/);
    assert.match(textOf(selfPanel, {}), /Nothing was cut away/);
    assert.match(textOf(configPanel, {}), /node: `v20`/);
    const config = {
      'retention count': 10_000,
      'retention age (s)': 604_800,
      'retention bytes': 268_435_456,
      port: 45_600,
      trustedHosts: '',
    };
    const shown = textOf(configPanel, { config });
    assert.match(
      shown,
      /count: `10,000`[^]*age: `7 days`[^]*size: `256\.0 MiB`[^]*port: `45600`[^]*Hosts: none/,
    );
    assert.match(textOf(configPanel, { config: { 'retention age (s)': 90 } }), /age: `90 seconds`/);
    assert.match(textOf(configPanel, { config: {} }), /Nothing was recorded about the configuration/);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { PanelContext } from '../panel.js';
import { timePanel } from './panel.js';

const record = {
  durationMs: 12,
  request: { method: 'GET', path: '/blog' },
  route: null,
  cost: { recordMs: 0.5, bytes: 10 },
  controller: { name: 'BlogController.show', file: null, line: null, arguments: [] },
  runtime: {
    memory: { rss: 90_000_000, heapUsed: 30_000_000, heapTotal: 40_000_000, external: 1 },
    eventLoop: { meanDelayMs: 1, maxDelayMs: 390, utilization: 0.5 },
    sampledMsAgo: 700,
  },
  logs: [],
  sections: {},
  timeline: [
    { name: 'controller', category: 'stage', startMs: 1, durationMs: 1 },
    { name: 'controller', category: 'controller', startMs: 3, durationMs: 5 },
  ],
} as unknown as ProfileRecord; // the panel reads no more

describe('time panel', () => {
  const context = { query: () => 'all', link: () => '/' } as Partial<PanelContext> as PanelContext; // no more is read
  const blocks = timePanel.show(record, context);

  it('distinguishes the controller event from the controller itself', () => {
    const labels = blocks
      .flatMap((block) => (block.kind === 'timeline' ? block.spans : []))
      .map(({ label }) => label);
    assert.deepEqual(labels, ['GET /blog', 'controller event', 'BlogController.show']);
  });

  it('separates process figures from request figures', () => {
    assert.deepEqual(blocks[0], { kind: 'text', text: '2 steps in 12.0 ms' });
    const process = blocks.find((block) => block.kind === 'section' && block.title === 'Process');
    const text = JSON.stringify(process);
    assert.match(text, /the whole process.*not just this one.*700 ms before its end/);
    assert.match(text, /"Longest event-loop delay","390 ms"/);
    assert.match(text, /"Profiler overhead","0.50 ms"/);
  });

  it('mentions that the machine was busy only if it was', () => {
    const text = (stoppedMs: number): string => {
      const loop = { ownMs: 60, waits: [], stops: [{ startMs: 1, durationMs: 10, ms: stoppedMs }] };
      return JSON.stringify(timePanel.show({ ...record, sections: { loop } }, context));
    };
    assert.match(text(7), /"The machine was busy","7\.00 ms"/);
    assert.doesNotMatch(text(0), /machine was busy/);
  });

  it('has no event loop section if the request only waited for its body', () => {
    const body = { startMs: 1, durationMs: 60, waitedMs: 60 };
    const shown = (loop: object) =>
      JSON.stringify(timePanel.show({ ...record, sections: { loop } }, context));
    assert.doesNotMatch(shown({ ownMs: 0, waits: [], stops: [], body }), /"Event loop"/);
    assert.match(shown({ ownMs: 60, waits: [], stops: [], body }), /"Event loop"/);
  });
});

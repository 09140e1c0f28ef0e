import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderBlocksMarkdown } from '../web/reports/render-blocks-markdown.js';
import type { Block } from './block.js';
import { stateBlocks } from './state-blocks.js';

type ProfilerFacts = Parameters<typeof stateBlocks>[0];

const facts = (changes: Partial<ProfilerFacts> = {}): ProfilerFacts => ({
  state: { status: 'ready', code: null, message: '', store: 'memory:' } as ProfilerFacts['state'],
  counters: {
    made: 10,
    stored: 6,
    pruned: 2,
    dropped: { 'queue-full': 1 },
    pending: 1,
    open: 0,
    sampledOut: 0,
    recordingMs: 5,
  } as unknown as ProfilerFacts['counters'], // the fields that the blocks read
  retention: undefined,
  ...changes,
});

/** All blocks, including those in sections. */
function flat(blocks: readonly Block[]): readonly Block[] {
  return blocks.flatMap((block) => (block.kind === 'section' ? flat(block.blocks) : [block]));
}

describe("the profiler's own state", () => {
  it('is what happened to the records, each counted once', () => {
    const notes = flat(stateBlocks(facts())).flatMap((block) => (block.kind === 'note' ? [block.text] : []));
    assert.match(
      String(notes[0]),
      /^10 records: 6 stored, 2 pruned before they were written, 1 lost \(queue-full\), 1 pending\.$/,
    );
  });

  it('warns of dropped records, and only then', () => {
    const toneOf = (given: ProfilerFacts): string | undefined =>
      flat(stateBlocks(given)).flatMap((block) => (block.kind === 'note' ? [block.tone] : []))[0];
    assert.equal(toneOf(facts()), 'warn');
    const counters = { ...facts().counters, dropped: {} } as ProfilerFacts['counters']; // as above
    assert.equal(toneOf(facts({ counters })), 'neutral');
  });

  it("is the store with its message, limits and size, and the recorder's figures", () => {
    const state = {
      status: 'failing',
      code: 'PROFILER_STORE_AWAY',
      message: 'It is away.',
      store: 'sqlite:x',
      since: 0,
      records: 5,
      bytes: 2048,
    } as const;
    const counters = {
      ...facts().counters,
      dropped: {},
      pruned: 0,
      made: 10,
      sampledOut: 1200,
      open: 3,
      failures: 2,
    } as ProfilerFacts['counters']; // as above
    const retention = { records: 1000, failures: 5, ageDays: 1.55, bytes: 1024 };
    const text = (given: ProfilerFacts): string => renderBlocksMarkdown(stateBlocks(given), 2);
    assert.equal(
      text(facts({ state, counters, retention })),
      [
        '> It is away. (PROFILER\\_STORE\\_AWAY)',
        '## This process',
        '> 10 records: 6 stored, 1 pending.',
        [
          '- Store: `sqlite:x`',
          '- State: failing',
          '- Since: `1970-01-01T00:00:00.000Z`',
          '- Records in the store: `5`',
          '- Size of the store: `2.0 KiB`',
          '- Keeps at most: `1,000 records and 5 older failures, 1.0 KiB, 1.6 days`',
          '- Time spent recording: `5.00 ms`',
          '- For each record: `0.50 ms`',
          '- In progress: `3`',
          '- Left out by sampling: `1,200`',
          '- Internal errors: `2`',
        ].join('\n'),
      ].join('\n\n'),
    );
    const none = facts({
      counters: { ...counters, made: 0, sampledOut: 0 },
      state: { ...state, status: 'ready', code: null, bytes: null },
    });
    assert.match(text(none), /^> It is away\.\n/);
    assert.match(text(none), /For each record: `0\.00 ms`/);
    assert.doesNotMatch(text(none), /sampling|Size of the store|Keeps at most/);
    const tones = stateBlocks(facts({ state })).flatMap((block) =>
      block.kind === 'note' ? [block.tone] : [],
    );
    assert.deepEqual(tones, ['warn']);
    assert.doesNotMatch(text(facts()), /^> [^1]/);
  });
});

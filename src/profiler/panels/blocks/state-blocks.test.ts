import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
  } as unknown as ProfilerFacts['counters'], // what the blocks read of it
  retention: undefined,
  ...changes,
});

/** All blocks, those in sections too. */
function flat(blocks: readonly Block[]): readonly Block[] {
  return blocks.flatMap((block) => (block.kind === 'section' ? flat(block.blocks) : [block]));
}

describe('the profiler’s own state', () => {
  it('is what became of the records, each counted once', () => {
    const notes = flat(stateBlocks(facts())).flatMap((block) => (block.kind === 'note' ? [block.text] : []));
    assert.match(
      String(notes[0]),
      /^10 records: 6 stored, 2 pruned before they were written, 1 lost \(queue-full\), 1 pending\.$/,
    );
  });

  it('warns of what was dropped, and only then', () => {
    const toneOf = (given: ProfilerFacts): string | undefined =>
      flat(stateBlocks(given)).flatMap((block) => (block.kind === 'note' ? [block.tone] : []))[0];
    assert.equal(toneOf(facts()), 'warn');
    const counters = { ...facts().counters, dropped: {} } as ProfilerFacts['counters']; // as above
    assert.equal(toneOf(facts({ counters })), 'neutral');
  });
});

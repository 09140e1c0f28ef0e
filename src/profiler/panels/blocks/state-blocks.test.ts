import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProcessAccount } from '../../tables/record-store.js';
import type { Block } from './block.js';
import { type ProfilerFacts, stateBlocks } from './state-blocks.js';

const account = (changes: Partial<ProcessAccount> = {}): ProcessAccount => ({
  host: 'web-1',
  pid: 7,
  version: '1.2.3',
  startedAt: 1000,
  seenAt: 2000,
  state: 'running',
  made: 9,
  stored: 5,
  pruned: 3,
  dropped: 1,
  waiting: 0,
  ...changes,
});

const facts = (changes: Partial<ProfilerFacts> = {}): ProfilerFacts => ({
  state: { status: 'ready', code: null, message: '', store: 'memory:' } as ProfilerFacts['state'],
  counters: {
    made: 10,
    stored: 6,
    pruned: { count: 2 },
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

function processesOf(processes: readonly ProcessAccount[]): {
  rows: readonly { readonly cells: readonly unknown[] }[];
  notes: readonly string[];
} {
  const blocks = flat(stateBlocks(facts({ processes })));
  const table = blocks.find((block) => block.kind === 'table');
  return {
    rows: table?.rows ?? [],
    notes: blocks.flatMap((block) => (block.kind === 'note' ? [String(block.text)] : [])),
  };
}

describe('the profiler’s own state', () => {
  it('is the sum that must hold, with its figures', () => {
    const notes = flat(stateBlocks(facts())).flatMap((block) => (block.kind === 'note' ? [block.text] : []));
    assert.match(String(notes[0]), /^10 records, 1 lost: .*10.*6.*2.*1.*1/);
  });

  it('has no figures of a process that has made no records, such as a command line', () => {
    const { counters } = facts();
    const none = { ...counters, made: 0, stored: 0, pruned: { count: 0 }, dropped: {}, pending: 0 };
    const blocks = flat(stateBlocks(facts({ counters: none as typeof counters })));
    assert.ok(
      blocks.some((block) => block.kind === 'note' && /has made no records/.test(String(block.text))),
    );
    assert.ok(blocks.every(({ kind }) => kind !== 'metrics'));
    const keys = blocks.flatMap((block) => (block.kind === 'pairs' ? block.pairs.map(([key]) => key) : []));
    assert.ok(
      keys.includes('State') && !keys.includes('Since') && !keys.includes('In progress'),
      String(keys),
    );
  });

  it('warns of what was dropped, and only then', () => {
    const dropped = flat(stateBlocks(facts()))
      .flatMap((block) => (block.kind === 'metrics' ? block.metrics : []))
      .find(({ label }) => label === 'dropped');
    assert.deepEqual([dropped?.value, dropped?.tone], [1, 'warn']);
    const none = facts({
      counters: { ...facts().counters, dropped: {} } as ProfilerFacts['counters'], // as above
    });
    const kept = flat(stateBlocks(none))
      .flatMap((block) => (block.kind === 'metrics' ? block.metrics : []))
      .find(({ label }) => label === 'dropped');
    assert.deepEqual([kept?.value, kept?.tone], [0, undefined]);
  });

  it('has no table of processes where the store keeps no accounts, or none has anything left', () => {
    assert.deepEqual(processesOf([]).rows, []);
    assert.deepEqual(processesOf([account({ state: 'ended', stored: 0, waiting: 0 })]).rows, []);
  });

  it('keeps those that run, and those of which records are left', () => {
    const { rows } = processesOf([
      account({ pid: 1, stored: 0 }),
      account({ pid: 2, state: 'ended', stored: 4 }),
      account({ pid: 3, state: 'ended', stored: 0 }),
      account({ pid: 4, state: 'lost', stored: 0, waiting: 2 }),
    ]);
    assert.equal(rows.length, 3);
    assert.match(JSON.stringify(rows[2]?.cells), /2 lost/);
  });

  it('shows fifty processes, and says how many more there are', () => {
    const fifty = processesOf(Array.from({ length: 50 }, (_, pid) => account({ pid })));
    assert.equal(fifty.rows.length, 50);
    assert.ok(!fifty.notes.some((text) => text.includes('further')));
    const more = processesOf(Array.from({ length: 53 }, (_, pid) => account({ pid })));
    assert.equal(more.rows.length, 50);
    assert.ok(more.notes.includes('3 further processes'));
  });
});

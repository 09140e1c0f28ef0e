import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDispatcher, defineEvent } from '#events';
import type { DispatchTrace, TracedListener } from './traceable-dispatcher.js';
import { createTraceableDispatcher } from './traceable-dispatcher.js';

interface Ping {
  readonly seen: string[];
  answered?: boolean;
}
const ping = defineEvent<Ping>('ping', { isStopped: (event) => event.answered === true });

function createTrace(): DispatchTrace & { readonly lines: string[] } {
  const known: TracedListener[] = [];
  const lines: string[] = [];
  return {
    lines,
    register: (listener) => known.push(listener) - 1,
    beginListener: (id) => {
      lines.push(`begin ${known[id]?.name} ${known[id]?.priority}`);
      return id;
    },
    endListener: (id, _event, outcome) => {
      lines.push(`end ${known[id]?.name} ${outcome ?? 'well'}`);
    },
    beginStage: (type) => lines.push(`stage ${type.name}`),
    endStage: (_place, _event, type) => void lines.push(`over ${type.name}`),
  };
}

describe('createTraceableDispatcher', () => {
  it('times stages and listeners as they run: synchronous, late and failing ones', async () => {
    const trace = createTrace();
    const dispatcher = createTraceableDispatcher(createDispatcher(), trace);
    dispatcher.on(ping, ({ seen }) => void seen.push('sync'), { name: 'a', priority: 2 });
    dispatcher.on(
      ping,
      async ({ seen }) => {
        await Promise.resolve();
        seen.push('late');
      },
      { name: 'b', priority: 1 },
    );
    dispatcher.on(
      ping,
      () => {
        throw new Error('broken');
      },
      { name: 'c' },
    );
    const event: Ping = { seen: [] };
    await assert.rejects(Promise.resolve(dispatcher.dispatch(ping, event)), /broken/);
    assert.deepEqual(event.seen, ['sync', 'late']);
    assert.deepEqual(trace.lines, [
      'stage ping',
      'begin a 2',
      'end a well',
      'begin b 1',
      'end b well',
      'begin c 0',
      'end c failed',
      'over ping',
    ]);
  });

  it('says which listener stopped the event, and stays synchronous while its listeners are', () => {
    const trace = createTrace();
    const dispatcher = createTraceableDispatcher(createDispatcher(), trace);
    dispatcher.on(ping, (event) => void (event.answered = true), { name: 'a' });
    dispatcher.on(ping, () => {}, { name: 'b' });
    assert.equal(dispatcher.dispatch(ping, { seen: [] }), undefined);
    assert.deepEqual(trace.lines, ['stage ping', 'begin a 0', 'end a stopped', 'over ping']);
  });
});

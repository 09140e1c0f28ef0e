import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDispatcher, defineEvent } from '#core/events';
import { addKernelListeners, kernelListener, onOwnEvents } from './kernel-listener.js';

const ping = defineEvent<string[]>('ping');

describe('a listener', () => {
  it('is added with its name and priority, and can be removed', () => {
    const dispatcher = createDispatcher();
    addKernelListeners(dispatcher, [
      kernelListener(ping, (seen) => void seen.push('late'), { name: 'late', priority: -1 }),
      kernelListener(ping, (seen) => void seen.push('early'), { name: 'early', priority: 1 }),
    ]);
    const on = onOwnEvents(dispatcher);
    const remove = on(ping, function between(seen) {
      seen.push('between');
    });
    const seen: string[] = [];
    void dispatcher.dispatch(ping, seen);
    assert.deepEqual(seen.splice(0), ['early', 'between', 'late']);
    assert.deepEqual(dispatcher.listeners(ping), [
      { name: 'early', priority: 1 },
      { name: 'between', priority: 0 },
      { name: 'late', priority: -1 },
    ]);
    remove();
    void dispatcher.dispatch(ping, seen);
    assert.deepEqual(seen, ['early', 'late']);
  });

  it("is refused with an unknown option, or for another copy's event", () => {
    const on = onOwnEvents(createDispatcher());
    assert.throws(() => on(ping, () => undefined, { prioritty: 1 } as never), /prioritty/); // the option is misspelt
    function mine(): void {}
    assert.throws(() => on({ name: 'ping', slot: ping.slot }, mine), {
      code: 'KERNEL_OTHER_COPY',
      message: /"mine".*"ping"/,
    });
  });
});

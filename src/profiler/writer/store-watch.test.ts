import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StoreState } from '../model/profiler-state.js';
import { storeErrors } from '../tables/store-errors.js';
import { StoreWatch } from './store-watch.js';

describe('what is known of the store', () => {
  const watched = (): { watch: StoreWatch; states: StoreState[] } => {
    const states: StoreState[] = [];
    return { watch: new StoreWatch('sqlite:x', (state) => states.push(state)), states };
  };

  it('is said once for each change, with the code and the fix', () => {
    const { watch, states } = watched();
    const away = storeErrors.create('PROFILER_STORE_AWAY', { path: 'x', reason: 'refused' });
    watch.note(undefined);
    watch.note(away);
    watch.note(storeErrors.create('PROFILER_STORE_AWAY', { path: 'x', reason: 'timed out' }));
    watch.note(new Error('with a secret in it'));
    watch.note(undefined);
    watch.note(undefined);
    assert.deepEqual(
      states.map(({ status, code }) => [status, code]),
      [
        ['failing', 'PROFILER_STORE_AWAY'],
        ['failing', 'PROFILER_STORE_FAILED'],
        ['ready', null],
      ],
    );
    assert.equal(states[0]?.message, `${away.message} ${away.fix}`);
    assert.equal(states[1]?.message, 'The store failed.');
    assert.deepEqual([watch.state().store, watch.state().records], ['sqlite:x', null]);
  });

  it('passes on what happened to the store, and says nothing after the end', () => {
    const { watch, states } = watched();
    watch.say('A damaged file was renamed.');
    assert.deepEqual(
      states.map(({ status, message }) => [status, message]),
      [['ready', 'A damaged file was renamed.']],
    );
    watch.close();
    watch.note(new Error('late'));
    assert.deepEqual([states.length, watch.state().status], [1, 'closed']);
  });

  it('is said to a listener that throws without harm', () => {
    const watch = new StoreWatch('memory:', () => {
      throw new Error('listener');
    });
    watch.note(new Error('away'));
    assert.equal(watch.state().status, 'failing');
  });
});

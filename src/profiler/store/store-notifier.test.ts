import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProfileStore } from '../model/profile-store.js';
import { StoreNotifier } from './store-notifier.js';

describe('who follows what is stored', () => {
  it('is woken by the store and by this process, while it listens', () => {
    let wakeAll: (() => void) | undefined;
    let stopped = 0;
    const store: Pick<ProfileStore, 'onNews'> = {
      onNews(wake) {
        wakeAll = wake;
        return () => void stopped++;
      },
    };
    const notifier = new StoreNotifier(store);
    const woken: string[] = [];
    notifier.notify();
    const [leaveFirst, leaveSecond] = ['first', 'second'].map((name) =>
      notifier.listen(() => void woken.push(name)),
    );
    wakeAll?.();
    assert.deepEqual(woken, ['first', 'second']);
    leaveFirst?.();
    leaveFirst?.();
    notifier.notify();
    assert.deepEqual([woken, stopped], [['first', 'second', 'second'], 0]);
    leaveSecond?.();
    assert.equal(stopped, 1);
    notifier.listen(() => void woken.push('third'))();
    assert.equal(stopped, 2);
  });

  it('is notified of each of its calls, also of one function twice', () => {
    const notifier = new StoreNotifier({ onNews: () => () => {} });
    let woken = 0;
    const wake = (): void => void woken++;
    const leave = [notifier.listen(wake), notifier.listen(wake)];
    notifier.notify();
    assert.equal(woken, 2);
    leave[0]?.();
    notifier.notify();
    assert.equal(woken, 3);
    leave[1]?.();
  });
});

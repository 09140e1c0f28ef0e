import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createWriterGate, closeGate, leaveGate, runInGate } from './writer-gate.js';

describe('gate of a writer', () => {
  it('counts work until the last of it is done', async () => {
    const gate = createWriterGate();
    leaveGate(gate); // the thread is loaded
    let finish = (): void => {};
    const long = runInGate(gate, () => new Promise<string>((resolve) => (finish = () => resolve('long'))));
    assert.equal(await runInGate(gate, () => 'short'), 'short');
    assert.equal(gate[0], 1, 'a process that ends would not wait for the long one');
    finish();
    assert.equal(await long, 'long');
    assert.equal(gate[0], 0);
  });

  it('runs nothing once it is closed', async () => {
    const gate = createWriterGate();
    leaveGate(gate);
    closeGate(gate, 60_000);
    assert.equal(await runInGate(gate, () => 'late'), undefined);
    assert.equal(gate[0], 0);
  });
});

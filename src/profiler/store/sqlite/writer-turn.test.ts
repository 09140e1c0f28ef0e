import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createWriterTurn, endTurns, leaveTurn, takeTurn } from './writer-turn.js';

describe('turns of a writer', () => {
  it('are under way until the last of them is over, whatever came in between', async () => {
    const turn = createWriterTurn();
    leaveTurn(turn); // it is loaded
    let finish = (): void => {};
    const long = takeTurn(turn, () => new Promise<string>((resolve) => (finish = () => resolve('long'))));
    assert.equal(await takeTurn(turn, () => 'short'), 'short');
    assert.equal(turn[0], 1, 'a process that ends would not wait for the long one');
    finish();
    assert.equal(await long, 'long');
    assert.equal(turn[0], 0);
  });

  it('do not begin once the process ends', async () => {
    const turn = createWriterTurn();
    leaveTurn(turn);
    endTurns(turn, 60_000);
    assert.equal(await takeTurn(turn, () => 'late'), undefined);
    assert.equal(turn[0], 0);
  });
});

import { failLater } from './fail-later.js';
import type { Failure } from './failure.js';
import { showGreeting } from './greeting.js';

/** Thrown values of different kinds, and errors that come too early or too late for the response. */
export const thrownFailures: readonly Failure[] = [
  {
    name: 'chain',
    run: showGreeting,
  },
  {
    name: 'aggregate',
    run: () => Promise.any([failLater('The first mirror is down'), failLater('The second mirror is down')]),
  },
  {
    name: 'non-error',
    run: throwTrap,
  },
  {
    name: 'listener',
    run: () => 'No one will read this.\n',
  },
  {
    name: 'nothing',
    run: () => {},
  },
  {
    name: 'unhandled-rejection',
    run: () => {
      void failLater('Nothing was listening any more', 50);
      return 'All is well, it seems.\n';
    },
  },
  {
    name: 'broken-stream',
    run: countToFailure,
  },
];

function throwTrap(): never {
  const trap = {
    reason: 'I am no error',
    get secret(): never {
      throw new Error('This getter must not be run.');
    },
  };
  // eslint-disable-next-line typescript/only-throw-error -- the failure to demonstrate
  throw trap;
}

async function* countToFailure(): AsyncGenerator<string> {
  yield '1\n2\n';
  await failLater('The stream broke at 3', 100);
}

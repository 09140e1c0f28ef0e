import { failLater } from './fail-later.js';
import type { Failure } from './failure.js';
import { showGreeting } from './greeting.js';

/** What is thrown, in its shapes, and what comes too early or too late for the answer. */
export const thrownFailures: readonly Failure[] = [
  {
    name: 'chain',
    title: 'An error with causes',
    look: 'Three errors, one behind the other, through an async call and a library.',
    run: showGreeting,
  },
  {
    name: 'aggregate',
    title: 'Several errors at once',
    look: 'An AggregateError: a tree in place of a chain.',
    run: () => Promise.any([failLater('The first mirror is down'), failLater('The second mirror is down')]),
  },
  {
    name: 'non-error',
    title: 'Something thrown that is no error',
    look: 'An object with a getter that must not be run.',
    run: throwTrap,
  },
  {
    name: 'listener',
    title: 'A listener that fails',
    look: 'The controller answers; a listener of the response throws.',
    run: () => 'Nobody will read this.\n',
  },
  {
    name: 'nothing',
    title: 'A controller that returns nothing',
    look: 'The error says which controller it was and what it may return.',
    run: () => {},
  },
  {
    name: 'unhandled-rejection',
    title: 'A promise nobody waited for',
    look: 'The answer is fine. What fails after it is in the log, and the service goes on.',
    run: () => {
      void failLater('Nobody was listening any more', 50);
      return 'All is well, it seems.\n';
    },
  },
  {
    name: 'broken-stream',
    title: 'A stream that breaks',
    look: 'The answer has begun when the error comes.',
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
  // eslint-disable-next-line typescript/only-throw-error -- that is the failure
  throw trap;
}

async function* countToFailure(): AsyncGenerator<string> {
  yield '1\n2\n';
  await failLater('The stream broke at 3', 100);
}

import { setTimeout as wait } from 'node:timers/promises';
import { annotate, ForbiddenError, NotFoundError, UnauthorizedError } from 'lookback';
import { isGranted } from 'lookback/security';
import type { Services } from '../services.js';
import type { Context } from '../site.js';
import { showGreeting } from './greeting.js';

/** A page that goes wrong in one way. */
export interface Failure {
  /** Last part of its path and of its route's name. */
  readonly name: string;
  readonly title: string;
  /** What to look at in the answer or the record. */
  readonly look: string;
  readonly methods?: readonly string[];
  readonly run: (context: Context) => unknown;
}

/** A page for each kind of failure. */
export function createFailures({ database }: Services): readonly Failure[] {
  return [
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
      name: 'not-found',
      title: '404 by a controller',
      look: 'The route exists, what it names does not.',
      run: () => {
        throw new NotFoundError('There is no such thing here.');
      },
    },
    {
      name: 'wrong-method',
      title: '405',
      look: 'A route that only takes POST, asked for by GET.',
      methods: ['POST'],
      run: () => 'Posted.\n',
    },
    {
      name: 'forbidden',
      title: '403',
      look: 'Refused, whoever asks.',
      run: () => {
        throw new ForbiddenError('Nobody may see this page.');
      },
    },
    {
      name: 'unauthorized',
      title: '401',
      look: 'Says by WWW-Authenticate what it wants. No login is offered.',
      run: () => {
        throw new UnauthorizedError('Bearer realm="failures"', 'This page wants a token.');
      },
    },
    {
      name: 'login',
      title: 'A login',
      look: 'A stranger is sent to the login, a reader is refused: only admins may see it.',
      run: annotate(() => 'You are an admin.\n', isGranted.of('ROLE_ADMIN')),
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
      name: 'n-plus-one',
      title: 'A query for every row',
      look: 'Open the record: the same statement again and again, and where it comes from.',
      run: async ({ request }) =>
        Object.fromEntries(await (await database.journal(request)).countCommentsOneByOne()),
    },
    {
      name: 'slow-query',
      title: 'A slow query',
      look: 'Open the record: nearly all the time is the database’s.',
      run: async ({ request }) => {
        await (await database.journal(request)).countSlowly();
        return 'Counted.\n';
      },
    },
    {
      name: 'unhandled-rejection',
      title: 'A promise nobody waited for',
      look: 'The answer is fine; what fails after it is in the record of the request.',
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
}

async function failLater(message: string, milliseconds = 5): Promise<never> {
  await wait(milliseconds);
  throw new Error(message);
}

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

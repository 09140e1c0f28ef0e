import { annotate, ForbiddenError, NotFoundError, UnauthorizedError } from 'lookback';
import { isGranted } from 'lookback/security';
import type { Failure } from './failure.js';

/** Answers that say no. */
export const refusals: readonly Failure[] = [
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
];

import { annotate, ForbiddenError, NotFoundError, UnauthorizedError } from 'lookback';
import { isGranted } from 'lookback/security';
import type { Failure } from './failure.js';

/** Responses that refuse a request. */
export const refusals: readonly Failure[] = [
  {
    name: 'not-found',
    run: () => {
      throw new NotFoundError('There is no such thing here.');
    },
  },
  {
    name: 'wrong-method',
    methods: ['POST'],
    run: () => 'Posted.\n',
  },
  {
    name: 'forbidden',
    run: () => {
      throw new ForbiddenError('No one may see this page.');
    },
  },
  {
    name: 'unauthorized',
    run: () => {
      throw new UnauthorizedError('Bearer realm="failures"', 'This page wants a token.');
    },
  },
  {
    name: 'login',
    run: annotate(() => 'You are an admin.\n', isGranted.of('ROLE_ADMIN')),
  },
];

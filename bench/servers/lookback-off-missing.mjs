import { startLookback } from '../harness/lookback-target.mjs';

export const start = () =>
  startLookback('lookback, recorder off, a 404 in production', {
    store: 'off',
    debug: false,
    path: '/helo/{name}',
    status: 404,
  });

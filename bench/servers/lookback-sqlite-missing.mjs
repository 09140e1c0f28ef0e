import { startLookback } from '../harness/lookback-target.mjs';

export const start = () =>
  startLookback('lookback, SQLite, a 404 with its debug page', {
    store: 'sqlite',
    path: '/helo/{name}',
    status: 404,
  });

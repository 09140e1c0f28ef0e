import { startLookback } from '../harness/lookback-target.mjs';

export const start = () =>
  startLookback('lookback, recording to SQLite, asynchronous handler', {
    store: 'sqlite',
    path: '/later/{name}',
  });

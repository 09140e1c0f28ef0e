import { startLookback } from '../harness/lookback-target.mjs';

export const start = () =>
  startLookback('lookback, recording to SQLite, one request repeated', {
    store: 'sqlite',
    isIdentical: true,
  });

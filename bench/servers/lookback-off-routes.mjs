import { startLookback } from '../harness/lookback-target.mjs';

export const start = () =>
  startLookback('lookback, recorder off, 1,000 routes', { store: 'off', routes: 1000 });

import { startLookback } from '../harness/lookback-target.mjs';

export const start = () =>
  startLookback('lookback, recorder off, 1 connection', { store: 'off', connections: 1 });

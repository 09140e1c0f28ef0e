import { startLookback } from '../harness/lookback-target.mjs';

export const start = () =>
  startLookback('lookback, recorder off, 5 logs and 3 queries', { store: 'off', path: '/busy/{name}' });

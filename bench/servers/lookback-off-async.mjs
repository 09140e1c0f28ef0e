import { startLookback } from '../harness/lookback-target.mjs';

export const start = () =>
  startLookback('lookback, recorder off, asynchronous handler', { store: 'off', path: '/later/{name}' });

import { startLookback } from '../harness/lookback-target.mjs';

export const start = () =>
  startLookback('lookback, recording to SQLite, 1 connection', { store: 'sqlite', connections: 1 });

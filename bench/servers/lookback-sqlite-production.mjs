import { startLookback } from '../harness/lookback-target.mjs';

export const start = () =>
  startLookback('lookback, recording to SQLite, in production', { store: 'sqlite', debug: false });

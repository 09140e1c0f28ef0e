import { startLookback } from '../harness/lookback-target.mjs';

export const start = () =>
  startLookback('lookback, recording to SQLite, two cores', { store: 'sqlite', cores: 2 });

import { startLookback } from '../harness/lookback-target.mjs';

export const start = () => startLookback('lookback, SQLite, 1,000 routes', { store: 'sqlite', routes: 1000 });

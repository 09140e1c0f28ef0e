import { startLookback } from '../harness/lookback-target.mjs';

export const start = () =>
  startLookback('lookback, SQLite, 5 logs and 3 queries', { store: 'sqlite', path: '/busy/{name}' });

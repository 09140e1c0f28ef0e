import { startLookback } from '../harness/lookback-target.mjs';

export const start = () => startLookback('lookback, recording to SQLite, one core', { store: 'sqlite' });

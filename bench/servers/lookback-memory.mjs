import { startLookback } from '../harness/lookback-target.mjs';

export const start = () => startLookback('lookback, recording in memory', { store: 'memory' });

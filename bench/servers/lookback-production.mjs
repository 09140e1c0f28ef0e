import { startLookback } from '../harness/lookback-target.mjs';

export const start = () => startLookback('lookback, production', { store: 'off', debug: false });

import { startLookback } from '../harness/lookback-target.mjs';

export const start = () =>
  startLookback('lookback, recorder off, 256 connections', { store: 'off', connections: 256 });

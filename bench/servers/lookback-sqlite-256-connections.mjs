import { startLookback } from '../harness/lookback-target.mjs';

export const start = () =>
  startLookback('lookback, recording to SQLite, 256 connections', { store: 'sqlite', connections: 256 });

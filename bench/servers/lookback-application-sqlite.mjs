import { startLookbackApplication } from '../harness/lookback-application.mjs';

export const start = () =>
  startLookbackApplication('lookback, the whole application, recording to SQLite', {
    store: 'sqlite',
    cores: 2,
  });

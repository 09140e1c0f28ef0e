import { startLookbackApplication } from '../harness/lookback-application.mjs';

export const start = () =>
  startLookbackApplication('lookback, the whole application, recorder off', { store: 'off' });

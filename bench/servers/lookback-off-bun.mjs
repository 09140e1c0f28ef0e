import { serveBun } from '../../dist/bundle/runtimes.js';
import { startLookback } from '../harness/lookback-target.mjs';

const listen = (app, address) => serveBun(app, { hostname: address.host, port: address.port });

export const start = () => startLookback('lookback on Bun, recorder off', { store: 'off', listen });

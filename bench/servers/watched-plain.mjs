import { attach } from '../../dist/bundle/attach.js';
import { listening } from '../harness/listening.mjs';
import { createPlainServer } from './plain.mjs';

export function start() {
  const server = createPlainServer();
  attach(server, { store: 'memory:', enabled: true });
  return listening('node:http, recorded in memory', server);
}

import { createServer } from 'node:http';
import { attach } from '#attach';
import { lookback as expressLookback } from '../../src/attach/express.js';
import { expressApp } from './apps/express-app.js';
import { listen, listenOn } from './apps/listen.js';
import { plainHandler } from './apps/plain-app.js';
import { describeAttaching } from './contract.js';

process.env['NODE_ENV'] = 'test'; // Express writes no errors to stderr then

describeAttaching({
  name: 'node:http',
  async start(isAttached) {
    const server = createServer(plainHandler);
    const attached = isAttached ? attach(server, { store: 'memory:' }) : undefined;
    return listenOn(server, async () => attached?.close());
  },
  pattern: undefined,
  handler: undefined,
  seesErrors: false,
  isRaw: true,
});

for (const version of ['express', 'express4'] as const)
  describeAttaching({
    name: version,
    async start(isAttached) {
      const profile = isAttached ? expressLookback({ store: 'memory:' }) : undefined;
      return listen(expressApp(version, profile), async () => profile?.close());
    },
    pattern: '/users/:id',
    handler: 'showUser',
    seesErrors: true,
    middleware: 'stamp',
    isRaw: true,
  });

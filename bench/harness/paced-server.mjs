import { setTimeout as wait } from 'node:timers/promises';
import { whyNotSimultaneous } from './pinning.mjs';
import { startLoad, startServer } from './start-server.mjs';

export const isPinnable = whyNotSimultaneous() === undefined;

/** Starts a server under `perSecond` requests per second; `stop` stops both. */
export async function startPaced(file, { perSecond, isPinned, flags = [] }) {
  const server = await startServer(file, { isPinned, flags });
  try {
    const load = await startLoad(server, { isPinned, connections: 64, perSecond });
    await wait(1000); // the first request starts some threads
    server.spread();
    return {
      server,
      load,
      async stop() {
        await load.stop();
        await server.child.stop();
      },
    };
  } catch (error) {
    await server.child.stop();
    throw error;
  }
}

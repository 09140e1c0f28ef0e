import { setTimeout as wait } from 'node:timers/promises';
import { whyNotSimultaneous } from './pinning.mjs';
import { startLoad, startServer } from './start-server.mjs';

export const isPinnable = whyNotSimultaneous() === undefined;

/** A server under so many requests a second, and how to stop both. */
export async function startPaced(file, { perSecond, isPinned, flags = [] }) {
  const server = await startServer(file, { isPinned, flags });
  try {
    const load = await startLoad(server, { isPinned, connections: 64, perSecond });
    await wait(1000); // some threads are begun with the first request
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

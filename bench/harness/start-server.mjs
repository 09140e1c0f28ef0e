import { Child } from './child.mjs';
import { loadCore, moveHelperThreads, serverCore } from './pinning.mjs';

/** Starts a server from `bench/servers` in a process of its own, and returns its description of itself. */
export async function startServer(file, { isPinned, flags = [] }) {
  const child = new Child(new URL('./serve-target.mjs', import.meta.url), {
    args: [file],
    core: isPinned ? serverCore : undefined,
    flags,
  });
  try {
    const target = await child.next();
    return {
      path: '/hello/{name}',
      status: 200,
      ...target,
      child,
      pid: child.pid,
      /** If a server's helper threads get a separate core, it is the load's core. */
      spread() {
        if (isPinned && target.cores === 2) moveHelperThreads(child.pid, loadCore);
      },
    };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

/**
 * Starts a load generator for a server: 512 visitors on `connections` connections, or one repeated request if the server wants that. With
 * `perSecond` it sends at that rate, otherwise as fast as responses arrive.
 */
export async function startLoad(server, { isPinned, connections, perSecond, isIdentical = false }) {
  const { port, pid, path, status, cookies } = server;
  const child = new Child(new URL('./generate-load.mjs', import.meta.url), {
    core: isPinned ? loadCore : undefined,
  });
  child.send({ port, pid, path, status, cookies, isIdentical, connections, perSecond });
  await child.next();
  return child;
}

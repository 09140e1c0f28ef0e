import { Child } from './child.mjs';
import { loadCore, moveHelperThreads, serverCore } from './pinning.mjs';

/** Starts a server of `bench/servers` in a process of its own and gives what it says of itself. */
export async function startServer(file, { isPinned, flags = [] }) {
  const child = new Child(new URL('./serve-target.mjs', import.meta.url), {
    args: [file],
    core: isPinned ? serverCore : undefined,
    flags,
  });
  try {
    const target = await child.next();
    return {
      path: '/hello/world',
      status: 200,
      ...target,
      child,
      pid: child.pid,
      /** Where the helper threads of a server have a core of their own, it is the one the load comes from. */
      spread() {
        if (isPinned && target.cores === 2) moveHelperThreads(child.pid, loadCore);
      },
    };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

/** Starts a load generator for a server; with `perSecond` it asks so often, else as often as it is answered. */
export async function startLoad(server, { isPinned, connections, perSecond }) {
  const { port, pid, path, status, accept } = server;
  const child = new Child(new URL('./generate-load.mjs', import.meta.url), {
    args: [JSON.stringify({ port, pid, path, status, accept, connections, perSecond })],
    core: isPinned ? loadCore : undefined,
  });
  await child.next();
  return child;
}

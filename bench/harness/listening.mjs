import { once } from 'node:events';

/** Binds a Node server to a free port of this machine and says so as the harness wants to hear it. */
export async function listening(title, server, more = {}) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { title, port: server.address().port, ...more };
}

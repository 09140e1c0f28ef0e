import { once } from 'node:events';

/** Binds a Node server to a free port on this machine, and returns the message that the harness expects. */
export async function listening(title, server, more = {}) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { title, port: server.address().port, ...more };
}

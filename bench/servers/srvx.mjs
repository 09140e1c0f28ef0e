import { once } from 'node:events';
import { FastResponse, serve } from 'srvx';

export async function start() {
  const server = serve({
    port: 0,
    hostname: '127.0.0.1',
    silent: true,
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (!pathname.startsWith('/hello/')) return new FastResponse('', { status: 404 });
      return FastResponse.json({ hello: decodeURIComponent(pathname.slice(7)) });
    },
  });
  await server.ready();
  if (!server.node.server.listening) await once(server.node.server, 'listening');
  return { title: 'srvx (FastResponse)', port: server.node.server.address().port };
}

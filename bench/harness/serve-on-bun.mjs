/** A bare `Bun.serve` that answers as our server does, after it has read of each request what `read` reads. */
export function serveOnBun(title, read) {
  const prefix = '/hello/';
  const server = globalThis.Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request, self) {
      const { url } = request;
      const path = url.slice(url.indexOf('/', 8));
      if (!path.startsWith(prefix) || read(request, self) === null) return new Response('', { status: 404 });
      const query = path.indexOf('?');
      const name = path.slice(prefix.length, query === -1 ? undefined : query);
      return new Response(JSON.stringify({ hello: decodeURIComponent(name) }), {
        headers: {
          'Content-Type': 'application/json',
          'X-Request-Id': '0123456789abcdef0123456789abcdef',
          'X-Robots-Tag': 'noindex',
        },
      });
    },
  });
  return { title, port: server.port, stop: () => server.stop(true) };
}

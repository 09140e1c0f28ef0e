import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy between a client and a server that can hang or break. */
export interface TcpProxy {
  readonly port: number;
  /** Stops passing data, without closing any connection. */
  hang(): void;
  /** Closes all connections and accepts no new ones. */
  cut(): void;
  /** Resumes passing data, and closes hung connections. */
  heal(): void;
  stop(): Promise<void>;
}

export async function startTcpProxy(host: string, port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let mode: 'hang' | 'cut' | 'pass' = 'pass';
  const server = createServer((client) => {
    if (mode === 'cut') return client.destroy();
    const upstream = connect(port, host);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => mode === 'pass' && to.write(chunk));
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        if (mode !== 'hang') to.destroy();
      });
    }
    return undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closeAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port
    hang() {
      mode = 'hang';
    },
    cut() {
      mode = 'cut';
      closeAll();
    },
    heal() {
      mode = 'pass';
      closeAll();
    },
    async stop() {
      closeAll();
      server.close();
      await once(server, 'close');
    },
  };
}

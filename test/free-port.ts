import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range from which Linux, macOS and Windows choose ports themselves: only tests choose one of these. */
const ports = { from: 20_000, to: 32_000 };

/**
 * A free port, for a program that cannot choose one itself. The system never assigns it: no other server takes it before the program does,
 * even if the program starts late or is restarted.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.from, ports.to);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below what Linux, macOS and Windows give to those who leave the choice to them: only tests choose one of these. */
const ports = { from: 20_000, to: 32_000 };

/**
 * A port that is free, for a program that cannot choose one itself. The system gives it to no one: what starts servers
 * beside does not take it before the program does, not even where that starts late or is started again.
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

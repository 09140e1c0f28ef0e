import { createServer } from 'node:net';

/**
 * A port that is free just now, for a program that cannot choose one itself. Whatever runs beside may have it a
 * moment later: who uses it starts its program at once, and tries another port where that fails.
 */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

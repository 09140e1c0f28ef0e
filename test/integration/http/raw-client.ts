import { connect } from 'node:net';

/** Everything received for these bytes (one character per byte), until the server closes. The sending side is closed after them. */
export function exchangeBytes(
  port: number,
  bytes: string,
  options: { keepOpen?: boolean } = {},
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => undefined); // a reset shows up as missing response bytes
    socket.on('close', () => resolve(received));
    if (options.keepOpen === true) socket.write(bytes, 'latin1');
    else socket.end(bytes, 'latin1');
  });
}

/** The status codes of all responses in a received text, in order. */
export function statusesOf(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}

import { connect } from 'node:net';

/** Everything that came back for these bytes (one character a byte), until the server closed. The sending side is closed after them. */
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
    socket.on('error', () => undefined); // a reset is seen as what is missing from the answer
    socket.on('close', () => resolve(received));
    if (options.keepOpen === true) socket.write(bytes, 'latin1');
    else socket.end(bytes, 'latin1');
  });
}

/** The status codes of the answers in a received text, in order. */
export function statusesOf(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}

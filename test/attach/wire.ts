import { once } from 'node:events';
import { Agent, get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';

/** Sends text to a server, and returns everything it sends back before it closes the connection. */
export async function wire(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

/** A server's response. */
export interface Answered {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Sends requests concurrently over 250 connections, each for one request. A keep-alive connection may be closed at the moment it is reused,
 * and if more connections are opened than the backlog of the server holds, the system resets some.
 */
export function askAtOnce(
  port: number,
): (path: string, headers?: Readonly<Record<string, string>>) => Promise<Answered> {
  const agent = new Agent({ maxSockets: 250 });
  return async (path, headers = {}) => {
    const sent = get({ host: '127.0.0.1', port, path, headers, agent });
    const [response] = (await once(sent, 'response')) as [IncomingMessage]; // the argument of the event
    const chunks = await response.setEncoding('utf8').toArray();
    return { headers: response.headers, text: chunks.join('') };
  };
}

/** A request whose connection closes after the response. */
export function ask(method: string, path: string, body?: string): string {
  const length =
    body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${length}\r\n${body ?? ''}`;
}

/** Removes everything that differs between runs from a response, as well as the documented headers and stack frames. */
export function comparable(answer: string): string {
  const plain = answer.replace(/<br>[^<]*/g, '');
  return (plain === answer ? answer : plain.replace(/^Content-Length:.*$/im, 'Content-Length'))
    .replace(/^(?:X-Debug-Token(?:-Link)?|Server-Timing):.*\r\n/gim, '')
    .replace(/^Date:.*\r\n/gim, 'Date\r\n');
}

/** The token in a response. */
export function tokenOf(answer: string): string {
  const token = /^X-Debug-Token: (\S+)\r\n/im.exec(answer)?.[1];
  if (token === undefined) throw new Error(`The answer names no record: ${answer.slice(0, 500)}`);
  return token;
}

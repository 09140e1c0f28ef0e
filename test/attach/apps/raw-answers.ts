import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { currentRecording } from 'lookback/profiler';

/** Throws an error with a cause, for `/boom`. */
export function boom(): never {
  throw new TypeError('out of paper', { cause: new Error('the root') });
}

/** Logs to the current request's record, after other requests have had a turn. */
export async function logLater(message: unknown, isLate = false): Promise<void> {
  await pause(isLate ? 5 : 0); // lets other requests run
  if (typeof message === 'string')
    currentRecording()?.log({ time: Date.now(), level: 'info', channel: 'app', message, context: undefined });
}

/** Bytes that `/large` has generated so far. */
export const made = { bytes: 0 };

/** 200 chunks of one megabyte each. */
export async function* large(): AsyncGenerator<Uint8Array> {
  made.bytes = 0;
  for (let index = 0; index < 200; index++) {
    made.bytes += 1024 * 1024;
    yield new Uint8Array(1024 * 1024);
  }
}

export async function* endless(): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < 2000; index++) {
    yield Buffer.from(`${index}\n`);
    await pause(10); // the pace of the stream
  }
}

export async function* letters(): AsyncGenerator<Uint8Array> {
  for (const letter of ['a', 'b', 'c']) {
    await pause(5); // in separate chunks
    yield Buffer.from(letter);
  }
}

/** Sends early hints, a body in pieces and a trailer. */
export function answerRaw(response: ServerResponse): void {
  response.writeEarlyHints({ link: '</style.css>; rel=preload' });
  response.writeHead(200, { 'Content-Type': 'text/plain', Trailer: 'X-Sum' });
  response.write('1');
  response.write('2', 'latin1', () => {
    response.addTrailers({ 'X-Sum': '3' });
    response.end();
  });
}

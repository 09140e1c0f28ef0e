import { connect } from 'node:net';

/**
 * One keep-alive connection that asks again as soon as the answer is there, or when it is told to. Answers are told apart by their
 * Content-Length; one as long as the last, in one chunk, is not read again.
 */
export class LoadConnection {
  #socket;
  #request;
  #status;
  #onAnswer;
  #isPaced;
  #usual = 0;
  #pending = '';
  #asked = 0;
  #isStopped = false;

  constructor({ port, request, status, isPaced = false, onAnswer, onFailure }) {
    this.#isPaced = isPaced;
    this.#request = Buffer.from(request, 'latin1');
    this.#status = String(status);
    this.#onAnswer = onAnswer;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
      if (!isPaced) this.ask();
    });
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', onFailure);
    this.#socket.on('close', () => {
      if (!this.#isStopped) onFailure(new Error('The server closed a connection.'));
    });
  }

  stop() {
    this.#isStopped = true;
    this.#socket.destroy();
  }

  ask() {
    this.#asked = performance.now();
    this.#socket.write(this.#request);
  }

  #take(chunk) {
    if (this.#pending === '' && chunk.length === this.#usual) {
      this.#answered();
      return;
    }
    this.#pending += chunk.latin1Slice(0, chunk.length);
    const length = answerLength(this.#pending);
    if (length === undefined || this.#pending.length < length) return;
    if (this.#pending.slice(9, 12) !== this.#status)
      throw new Error(`Expected ${this.#status}: ${this.#pending.slice(0, 300)}`);
    this.#usual = length;
    this.#pending = '';
    this.#answered();
  }

  #answered() {
    this.#onAnswer(performance.now() - this.#asked);
    if (!this.#isPaced) this.ask();
  }
}

/** Bytes of the whole answer; undefined until its head is there. */
function answerLength(text) {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1];
  if (length !== undefined) return end + 4 + Number(length);
  if (!/\r\ntransfer-encoding: *chunked/i.test(text.slice(0, end)))
    throw new Error(`An answer without a length: ${text.slice(0, 300)}`);
  return text.endsWith('0\r\n\r\n') ? text.length : undefined;
}

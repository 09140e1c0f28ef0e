import { connect } from 'node:net';

/**
 * One keep-alive connection that sends its next request as soon as it has a response, or on demand. Responses are separated by their
 * Content-Length.
 */
export class LoadConnection {
  #socket;
  #nextRequest;
  #status;
  #onAnswer;
  #isPaced;
  #pending = '';
  #sentAt = 0;
  #isStopped = false;

  constructor({ port, nextRequest, status, isPaced = false, onAnswer, onFailure }) {
    this.#isPaced = isPaced;
    this.#nextRequest = nextRequest;
    this.#status = String(status);
    this.#onAnswer = onAnswer;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
      if (!isPaced) this.send();
    });
    this.#socket.on('data', (chunk) => this.#take(chunk.latin1Slice(0, chunk.length)));
    this.#socket.on('error', onFailure);
    this.#socket.on('close', () => {
      if (!this.#isStopped) onFailure(new Error('The server closed a connection.'));
    });
  }

  stop() {
    this.#isStopped = true;
    this.#socket.destroy();
  }

  send() {
    this.#sentAt = performance.now();
    this.#socket.write(this.#nextRequest());
  }

  #take(text) {
    this.#pending = this.#pending === '' ? text : this.#pending + text;
    const length = answerLength(this.#pending);
    if (length === undefined || this.#pending.length < length) return;
    if (this.#pending.slice(9, 12) !== this.#status)
      throw new Error(`Expected ${this.#status}: ${this.#pending.slice(0, 300)}`);
    this.#pending = '';
    this.#onAnswer(performance.now() - this.#sentAt);
    if (!this.#isPaced) this.send();
  }
}

/** Bytes of the whole response; undefined until its head has arrived. */
function answerLength(text) {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1];
  if (length !== undefined) return end + 4 + Number(length);
  if (!/\r\ntransfer-encoding: *chunked/i.test(text.slice(0, end)))
    throw new Error(`Response without a Content-Length: ${text.slice(0, 300)}`);
  return text.endsWith('0\r\n\r\n') ? text.length : undefined;
}

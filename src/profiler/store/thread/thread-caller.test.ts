import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { isCodedError } from '#coded-error';
import { ThreadCaller } from './thread-caller.js';

interface Question {
  readonly say: string;
  readonly value?: unknown;
}
interface Answer {
  readonly id: number;
  readonly said?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly fix: string | undefined };
}

/** What runs in the thread: it answers, late or never, throws, or ends. */
const program = `
  import { parentPort, workerData } from 'node:worker_threads';
  const late = [];
  parentPort.on('message', ({ id, say, value }) => {
    if (say === 'echo') parentPort.postMessage({ id, said: value });
    if (say === 'start') parentPort.postMessage({ id, said: workerData });
    if (say === 'later') late.push({ id, said: value });
    if (say === 'turned') for (const one of [...late.splice(0), { id, said: value }].reverse()) parentPort.postMessage(one);
    if (say === 'fail') parentPort.postMessage({ id, error: { code: 'OWN_CODE', message: 'It is so.', fix: 'Do this.' } });
    if (say === 'throw') throw new Error('out of order');
    if (say === 'exit') process.exit(value);
    if (say === 'news') parentPort.postMessage({ id: 0, said: value });
    if (say === 'close') { parentPort.postMessage({ id, said: 'closed' }); parentPort.unref(); }
  });
`;
const file = new URL(`data:text/javascript,${encodeURIComponent(program)}`);

const callers: ThreadCaller<Question, Answer>[] = [];
afterEach(async () => {
  for (const caller of callers.splice(0)) await caller.close({ say: 'close' }).catch(() => undefined);
});

interface Bench {
  readonly caller: ThreadCaller<Question, Answer>;
  readonly log: unknown[];
  /** Resolves when the thread has said something by itself. */
  readonly notified: Promise<unknown>;
}

function bench(): Bench {
  const log: unknown[] = [];
  let starts = 0;
  let notify: (said: unknown) => void = () => {};
  const notified = new Promise<unknown>((resolve) => (notify = resolve));
  const caller = new ThreadCaller<Question, Answer>({
    file,
    name: 'redis://host',
    start: () => ({ data: ++starts, ended: () => log.push('ended') }),
    notified: ({ said }) => notify(said),
  });
  callers.push(caller);
  return { caller, log, notified };
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error: unknown) => (isCodedError(error) ? `${error.code}: ${error.message}` : String(error)),
  );

describe('a thread that is called', () => {
  it('starts with the first call, and gives each its own answer, in whatever order they come', async () => {
    const { caller } = bench();
    assert.equal(caller.isRunning, false);
    const asked = ['later', 'later', 'turned'].map((say, value) => caller.ask({ say, value }));
    assert.equal(caller.isRunning, true);
    assert.deepEqual(
      (await Promise.all(asked)).map(({ said }) => said),
      [0, 1, 2],
    );
    assert.equal((await caller.ask({ say: 'start' })).said, 1);
  });

  it('gives its errors with their codes and what to do', async () => {
    const { caller } = bench();
    await assert.rejects(caller.ask({ say: 'fail' }), {
      code: 'OWN_CODE',
      message: 'It is so.',
      fix: 'Do this.',
    });
    assert.equal((await caller.ask({ say: 'echo', value: 'goes on' })).said, 'goes on');
  });

  it('that ends answers everything that waits with a code, and is started again', async () => {
    const { caller, log } = bench();
    const waiting = [
      caller.ask({ say: 'later' }),
      caller.ask({ say: 'later' }),
      caller.ask({ say: 'exit', value: 3 }),
    ].map(codeOf);
    for (const found of await Promise.all(waiting))
      assert.match(found, /^PROFILER_STORE_WRITER: .*redis:\/\/host.*exit code 3/);
    assert.deepEqual([caller.isRunning, log], [false, ['ended']]);
    assert.equal((await caller.ask({ say: 'start' })).said, 2);
  });

  it('that throws says what', async () => {
    const { caller } = bench();
    assert.match(await codeOf(caller.ask({ say: 'throw' })), /^PROFILER_STORE_WRITER: .*out of order/);
    assert.equal((await caller.ask({ say: 'start' })).said, 2);
  });

  it('may send a message of its own, and be sent one without an answer', async () => {
    const { caller, notified } = bench();
    caller.post({ say: 'news', value: 'changed' });
    assert.equal(await notified, 'changed');
    caller.leave();
    assert.equal(caller.isRunning, false);
  });

  it('is left only when nothing waits', async () => {
    const { caller } = bench();
    const answer = caller.ask({ say: 'echo', value: 1 });
    caller.leave();
    assert.equal(caller.isRunning, true);
    assert.equal((await answer).said, 1);
    caller.leave();
    assert.equal(caller.isRunning, false);
    assert.equal((await caller.ask({ say: 'start' })).said, 2);
  });

  it('a question that cannot be sent is refused, and nothing waits for it', async () => {
    const { caller } = bench();
    await caller.ask({ say: 'echo' });
    await assert.rejects(caller.ask({ say: 'echo', value: () => 1 }), { name: 'DataCloneError' });
    caller.leave();
    assert.equal(caller.isRunning, false);
  });

  it('closes with a last word, and without one where it never ran', async () => {
    const { caller, log } = bench();
    await caller.close({ say: 'close' });
    assert.equal(caller.isRunning, false);
    await caller.ask({ say: 'echo' });
    await caller.close({ say: 'close' });
    assert.deepEqual([caller.isRunning, log], [false, ['ended']]);
  });
});

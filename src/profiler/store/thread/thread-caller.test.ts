import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { isCodedError } from '#coded-error';
import { ThreadCaller } from './thread-caller.js';

type Methods = Readonly<Record<string, (value?: unknown) => unknown>>;

/** What runs in the thread: it answers, late or never, throws, or ends. */
const program = `
  import { parentPort, workerData } from 'node:worker_threads';
  const late = [];
  parentPort.on('message', ({ id, method, args: [value] }) => {
    if (method === 'echo') parentPort.postMessage({ id, result: value });
    if (method === 'start') parentPort.postMessage({ id, result: workerData });
    if (method === 'later') late.push({ id, result: value });
    if (method === 'turned') for (const one of [...late.splice(0), { id, result: value }].reverse()) parentPort.postMessage(one);
    if (method === 'fail') parentPort.postMessage({ id, error: { code: 'OWN_CODE', message: 'It is so.', fix: 'Do this.' } });
    if (method === 'throw') throw new Error('out of order');
    if (method === 'exit') process.exit(value);
    if (method === 'news') parentPort.postMessage({ id: 0, result: value });
    if (method === 'close') { parentPort.postMessage({ id, result: 'closed' }); parentPort.unref(); }
  });
`;
const file = new URL(`data:text/javascript,${encodeURIComponent(program)}`);

const callers: ThreadCaller<Methods>[] = [];
afterEach(async () => {
  for (const caller of callers.splice(0)) await caller.close('close').catch(() => undefined);
});

interface Bench {
  readonly caller: ThreadCaller<Methods>;
  readonly log: unknown[];
  /** Resolves when the thread has said something by itself. */
  readonly notified: Promise<unknown>;
}

function bench(): Bench {
  const log: unknown[] = [];
  let starts = 0;
  let notify: (result: unknown) => void = () => {};
  const notified = new Promise<unknown>((resolve) => (notify = resolve));
  const caller = new ThreadCaller<Methods>({
    file,
    name: 'redis://host',
    start: () => ({ data: ++starts, ended: () => log.push('ended') }),
    notified: (said) => notify(said),
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
    const asked = ['later', 'later', 'turned'].map((method, value) => caller.call(method, value));
    assert.equal(caller.isRunning, true);
    assert.deepEqual(await Promise.all(asked), [0, 1, 2]);
    assert.equal(await caller.call('start'), 1);
  });

  it('gives its errors with their codes and what to do', async () => {
    const { caller } = bench();
    await assert.rejects(caller.call('fail'), {
      code: 'OWN_CODE',
      message: 'It is so.',
      fix: 'Do this.',
    });
    assert.equal(await caller.call('echo', 'goes on'), 'goes on');
  });

  it('that ends answers everything that waits with a code, and is started again', async () => {
    const { caller, log } = bench();
    const waiting = [caller.call('later'), caller.call('later'), caller.call('exit', 3)].map(codeOf);
    for (const found of await Promise.all(waiting))
      assert.match(found, /^PROFILER_STORE_WRITER: .*redis:\/\/host.*exit code 3/);
    assert.deepEqual([caller.isRunning, log], [false, ['ended']]);
    assert.equal(await caller.call('start'), 2);
  });

  it('that throws says what', async () => {
    const { caller } = bench();
    assert.match(await codeOf(caller.call('throw')), /^PROFILER_STORE_WRITER: .*out of order/);
    assert.equal(await caller.call('start'), 2);
  });

  it('may send a message of its own, and be sent one without an answer', async () => {
    const { caller, notified } = bench();
    caller.post('news', 'changed');
    assert.equal(await notified, 'changed');
    caller.terminateIfIdle();
    assert.equal(caller.isRunning, false);
  });

  it('is left only when nothing waits', async () => {
    const { caller } = bench();
    const answer = caller.call('echo', 1);
    caller.terminateIfIdle();
    assert.equal(caller.isRunning, true);
    assert.equal(await answer, 1);
    caller.terminateIfIdle();
    assert.equal(caller.isRunning, false);
    assert.equal(await caller.call('start'), 2);
  });

  it('a question that cannot be sent is refused, and nothing waits for it', async () => {
    const { caller } = bench();
    await caller.call('echo');
    await assert.rejects(
      caller.call('echo', () => 1),
      { name: 'DataCloneError' },
    );
    caller.terminateIfIdle();
    assert.equal(caller.isRunning, false);
  });

  it('closes with a last word, and without one where it never ran', async () => {
    const { caller, log } = bench();
    await caller.close('close');
    assert.equal(caller.isRunning, false);
    await caller.call('echo');
    await caller.close('close');
    assert.deepEqual([caller.isRunning, log], [false, ['ended']]);
  });
});

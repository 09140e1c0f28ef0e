import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { runInThisContext } from 'node:vm';
import { HttpRequest } from '#core/http';
import { createProfiler, type Profiler, requestRecording } from '#profiler';
import { runInScope } from '#core/scope';
import { takeMoment } from '../source/moment.js';
import { instrumentGot, instrumentSuperagent } from './call-locations.js';

let sentFrom: string[] = [];
function send(): void {
  const frames = (takeMoment()?.callSite() ?? []) as { name: string }[]; // frames of the application
  sentFrom = frames.map(({ name }) => name);
}
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Shaped like got's: `flush` is called at once, and sends later. */
class GotRequest {
  async flush(): Promise<void> {
    await nextTurn();
    send();
  }
}

/** Shaped like superagent's: `then` sends it in a later turn. */
class SuperagentRequest extends EventEmitter {
  constructor() {
    super();
    this.on('end', () => undefined);
  }
  request(): void {
    send();
  }
  // oxlint-disable-next-line unicorn/no-thenable -- as superagent's
  then(done: () => void): void {
    setImmediate(() => {
      this.request();
      done();
    });
  }
}

describe("a call's call site", () => {
  let profiler: Profiler;
  before(() => (profiler = createProfiler({ store: 'memory:' })));
  after(() => profiler.close());

  const inRequest = <Result>(work: () => Result): Result => {
    const peer = { address: '127.0.0.1', port: 1, encrypted: false };
    const request = new HttpRequest({ method: 'GET', target: '/', rawHeaders: [], httpVersion: '1.1', peer });
    request.scope.set(requestRecording, profiler.begin(request));
    return runInScope(request.scope, work);
  };
  // This package's files do not count as the application's.
  const askStock = runInThisContext('(async function askStock(make) { await make(); })', {
    filename: '/application/app.js',
  }) as (make: () => unknown) => Promise<void>;

  for (const [name, instrumentation, prototype, make] of [
    ['got', instrumentGot, GotRequest.prototype, () => new GotRequest().flush()],
    ['superagent', instrumentSuperagent, SuperagentRequest.prototype, () => new SuperagentRequest()],
  ] as const)
    it(`of ${name} is the application's, and closing the instrumentation restores everything`, async () => {
      const former = Object.getOwnPropertyDescriptors(prototype);
      const undo = instrumentation(prototype);
      await inRequest(() => askStock(make));
      assert.deepEqual(sentFrom, ['askStock']);
      undo?.();
      assert.deepEqual(Object.getOwnPropertyDescriptors(prototype), former);
    });
});

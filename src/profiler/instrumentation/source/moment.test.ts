import assert from 'node:assert/strict';
import { channel, tracingChannel } from 'node:diagnostics_channel';
import { after, before, describe, it } from 'node:test';
import { runInThisContext } from 'node:vm';
import { HttpRequest } from '#core/http';
import { createProfiler, type Profiler, requestRecording } from '#profiler';
import { currentScope, reportAsOne, runInScope, Scope } from '#core/scope';
import { listenTo, listenToOperations } from './listen-to.js';
import { type Moment, runAtMoment, scopeFrom, takeMoment } from './moment.js';

describe("an operation's moment", () => {
  let profiler: Profiler;
  const requestOf = (): HttpRequest => {
    const peer = { address: '127.0.0.1', port: 1, encrypted: false };
    const request = new HttpRequest({ method: 'GET', target: '/', rawHeaders: [], httpVersion: '1.1', peer });
    request.scope.set(requestRecording, profiler.begin(request));
    return request;
  };
  before(() => (profiler = createProfiler({ store: 'memory:' })));
  after(() => profiler.close());

  it('is undefined outside of recorded requests, and if a caller reports the operation', () => {
    assert.equal(takeMoment(), undefined);
    assert.equal(runInScope(new Scope(), takeMoment), undefined);
    runInScope(requestOf().scope, () => {
      assert.ok(takeMoment() !== undefined);
      assert.equal(reportAsOne(takeMoment), undefined);
    });
  });

  it('has the application frames that led to it, even from a callback without any', async () => {
    const { scope } = requestOf();
    // This package's files do not count as the application's.
    const ask = runInThisContext('(function askSomething(take) { return take(); })', {
      filename: '/application/app.js',
    }) as (take: () => unknown) => unknown;
    const asked = runInScope(scope, () => ask(takeMoment)) as Moment | undefined;
    assert.match(JSON.stringify(asked?.callSite()), /askSomething/);
    const inner = scopeFrom(scope, asked?.callSite ?? (() => []));
    const later = await new Promise<Moment | undefined>((resolve) =>
      runInScope(inner, () => setImmediate(() => resolve(takeMoment()))),
    );
    assert.deepEqual(later?.callSite(), asked?.callSite());
    assert.equal(later?.scope, inner);
  });

  it('reports its end without letting errors reach the application', () => {
    const { scope } = requestOf();
    const moment = runInScope(scope, takeMoment);
    assert.ok(moment !== undefined);
    let seen: unknown;
    runAtMoment(moment, () => (seen = currentScope()));
    assert.equal(seen, scope);
    assert.doesNotThrow(() =>
      runAtMoment(moment, () => {
        throw new Error('of a listener');
      }),
    );
  });

  it("a tracing channel's operation ends once, in the request in which it began", async () => {
    const over: unknown[] = [];
    const begun: unknown[] = [];
    const stop = listenToOperations('test:instrumentations', (message) => {
      begun.push(message);
      return (ended) => void over.push([ended, currentScope()]);
    });
    const traced = tracingChannel<object>('test:instrumentations');
    const { scope } = requestOf();
    const [good, bad, outside] = [{ name: 'good' }, { name: 'bad' }, { name: 'outside' }];
    await runInScope(scope, () => traced.tracePromise(async () => 7, good));
    assert.throws(() => runInScope(scope, () => traced.traceSync(fail, bad)), /refused/);
    await traced.tracePromise(async () => 7, outside);
    assert.deepEqual(over, [
      [good, scope],
      [bad, scope],
    ]);
    assert.deepEqual(begun, [good, bad]);
    stop();
    assert.equal(traced.start.hasSubscribers || traced.asyncEnd.hasSubscribers, false);
  });

  it("a channel listener's errors are ignored, and it can be removed again", () => {
    const messages: unknown[] = [];
    const stop = listenTo({
      'test:instrumentations:one': (message) => {
        messages.push(message);
        throw new Error('of ours');
      },
    });
    channel('test:instrumentations:one').publish(1);
    stop();
    channel('test:instrumentations:one').publish(2);
    assert.deepEqual(messages, [1]);
    assert.equal(channel('test:instrumentations:one').hasSubscribers, false);
  });
});

function fail(): never {
  throw new Error('refused');
}

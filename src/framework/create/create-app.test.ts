import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exceptionEvent } from '#kernel';
import type { Configuration } from '../configuration/configuration.js';
import { createApp } from './create-app.js';

/** The error that a listener is told of when nothing has the path, or nothing takes the method. */
async function missOf(configuration: Partial<Configuration>, method = 'GET'): Promise<unknown> {
  const app = createApp({ configuration, logHandlers: [] });
  app.get('/there', () => 'here');
  let seen: unknown;
  app.on(exceptionEvent, ({ error }) => void (seen = error), { priority: 1000 });
  const response = await app.fetch(method === 'GET' ? '/nowhere' : '/there', { method });
  assert.equal(response.status, method === 'GET' ? 404 : 405);
  await app.close();
  return seen;
}

function stackOf(error: unknown): string {
  assert.ok(error instanceof Error);
  return error.stack ?? '';
}

describe('the error of a miss', () => {
  it('holds no calls where no one is shown them, and all else', async () => {
    for (const method of ['GET', 'POST']) {
      const limit = Error.stackTraceLimit;
      const error = await missOf({ env: 'prod', debug: false, profilerStore: 'off' }, method);
      assert.doesNotMatch(stackOf(error), /\n\s*at /);
      assert.ok(error instanceof Error && error.cause instanceof Error);
      assert.match(error.message, /No route found for/);
      assert.equal(Error.stackTraceLimit, limit);
    }
  });

  it('holds them in debug, and where requests are recorded', async () => {
    for (const method of ['GET', 'POST']) {
      const debug = await missOf({ env: 'dev', debug: true, profilerStore: 'off' }, method);
      assert.match(stackOf(debug), /choose-controller/);
      const recorded = await missOf({ env: 'prod', debug: false, profilerStore: 'memory:' }, method);
      assert.match(stackOf(recorded), /choose-controller/);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attributesOf } from '#core/attributes';
import { fromWebRequest, type HttpRequest } from '#core/http';
import {
  controllerArguments,
  resolveArguments,
  type ValueResolver,
  withArguments,
} from './resolve-arguments.js';
import { currentRequest, queryParameter, routeParameter, toInteger } from './resolvers.js';

function get(url: string, init?: RequestInit): HttpRequest {
  return fromWebRequest(new Request(`http://a.example${url}`, init));
}

describe('resolveArguments', () => {
  const failing = (error: unknown): ValueResolver => ({
    name: 'it',
    resolve: () => {
      throw error;
    },
  });
  const rejecting: ValueResolver = { name: 'late', resolve: () => Promise.reject(new Error('late')) };

  const fixed: ValueResolver = { name: 'a', resolve: () => 1 };

  it('returns a promise only if a resolver returned one', async () => {
    assert.deepEqual(resolveArguments([fixed], get('/')), [1]);
    const later: ValueResolver = { name: 'b', resolve: () => Promise.resolve(2) };
    assert.deepEqual(await resolveArguments([fixed, later], get('/')), [1, 2]);
  });

  it('names the argument in generic errors, and keeps specific ones', async () => {
    const cause = new Error('boom');
    assert.throws(() => resolveArguments([failing(cause)], get('/')), {
      code: 'CONTROLLER_ARGUMENT_FAILED',
      cause,
    });
    await assert.rejects(async () => resolveArguments([rejecting], get('/')), /"late"/);
    assert.throws(() => resolveArguments([queryParameter('q')], get('/')), { status: 400 });
  });

  it('leaves no unhandled rejection if a later argument throws synchronously', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    assert.throws(() => resolveArguments([rejecting, failing(new Error('now'))], get('/')), /"it"/);
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    assert.deepEqual(unhandled, []);
  });
});

describe('withArguments', () => {
  it('declares the arguments on the function', () => {
    const resolvers = [routeParameter('id', toInteger), currentRequest()] as const;
    const controller = withArguments(resolvers, (id, request) => `${id + 1} ${request.method}`);
    assert.deepEqual(attributesOf(controllerArguments, controller), [resolvers]);
    assert.equal(controller(1, get('/')), '2 GET');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isCodedError } from '#coded-error';
import { isHttpError } from '#errors';
import { fromWebRequest, type HttpRequest } from '#http';
import type { ValueResolver } from '../resolve-arguments.js';
import { type StandardSchema, ValidationError } from '../validation-error.js';
import { formBody, requestBody } from './body-resolvers.js';

function get(url: string, init?: RequestInit): HttpRequest {
  return fromWebRequest(new Request(`http://a.example${url}`, init));
}

function post(
  body: string | FormData | URLSearchParams | Uint8Array<ArrayBuffer>,
  type?: string,
): HttpRequest {
  return get('/', {
    method: 'POST',
    body,
    ...(type === undefined ? {} : { headers: { 'content-type': type } }),
  });
}

const titled: StandardSchema<{ title: string }> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => {
      const title: unknown =
        typeof value === 'object' && value !== null && 'title' in value ? value.title : undefined;
      if (typeof title === 'string') return { value: { title: title.trim() } };
      return {
        issues: [{ message: 'must be text', path: ['items', 0, { key: 'title' }] }, { message: 'is wrong' }],
      };
    },
  },
};

async function failure(
  resolver: ValueResolver,
  request: HttpRequest,
): Promise<{ status?: number; code?: string; message: string }> {
  try {
    await resolver.resolve(request);
  } catch (error) {
    if (isHttpError(error)) {
      const code = isCodedError(error.cause) ? { code: error.cause.code } : {};
      return { status: error.status, message: error.message, ...code };
    }
    if (isCodedError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return assert.fail('nothing was thrown');
}

describe('bodies', () => {
  it('JSON and forms go through the same schema', async () => {
    assert.deepEqual(await requestBody(titled).resolve(post('{"title":" x "}', 'application/json')), {
      title: 'x',
    });
    assert.deepEqual(
      await requestBody(titled).resolve(post('{"title":"x"}', 'application/merge-patch+json; charset=utf-8')),
      { title: 'x' },
    );
    assert.deepEqual(await requestBody(titled).resolve(post(new URLSearchParams({ title: 'x' }))), {
      title: 'x',
    });
  });

  it('422 with every violation and where it is', async () => {
    await assert.rejects(
      async () => requestBody(titled).resolve(post('{}', 'application/json')),
      (error) => {
        assert.ok(error instanceof ValidationError);
        assert.equal(error.status, 422);
        assert.equal(error.message, 'items[0].title: must be text\nis wrong');
        assert.deepEqual(error.violations, [
          { path: 'items[0].title', message: 'must be text', code: 'invalid' },
          { path: '', message: 'is wrong', code: 'invalid' },
        ]);
        return true;
      },
    );
  });

  it('shows at most 100 violations and says how many there were', () => {
    const error = new ValidationError(Array.from({ length: 150 }, () => ({ message: 'no' })));
    assert.deepEqual([error.violations.length, error.count], [100, 150]);
  });

  it('415 for another type, a missing one, a malformed one; 400 for a missing body and broken JSON', async () => {
    const status = async (resolver: ValueResolver, request: HttpRequest): Promise<unknown> =>
      (await failure(resolver, request)).status;
    assert.equal(await status(requestBody(titled), post('<a/>', 'text/xml')), 415);
    assert.equal(
      await status(requestBody(titled, { kinds: ['json'] }), post(new URLSearchParams({ title: 'x' }))),
      415,
    );
    assert.equal(await status(requestBody(titled), post(new TextEncoder().encode('{}'))), 415);
    assert.equal(await status(requestBody(titled), post('{}', 'application/json, text/plain')), 415);
    assert.equal(await status(formBody(), post('{}', 'application/json')), 415);
    assert.equal(await status(requestBody(titled), get('/')), 400);
    assert.equal(await status(requestBody(titled), post('{', 'application/json')), 400);
    assert.equal(
      await status(requestBody(titled), post('__proto__[x]=1', 'application/x-www-form-urlencoded')),
      400,
    );
    assert.equal(
      await status(requestBody(titled), post(`a${'[b]'.repeat(30)}=1`, 'application/x-www-form-urlencoded')),
      413,
    );
  });
});

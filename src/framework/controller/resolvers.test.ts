import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isCodedError } from '#core/coded-error';
import { isHttpError } from '#core/errors';
import { fromWebRequest, type HttpRequest, requestRoute } from '#core/http';
import { resolveArguments, type ValueResolver } from './resolve-arguments.js';
import { type StandardSchema, ValidationError } from './validation-error.js';
import {
  cookieValue,
  currentRequest,
  formBody,
  headerValue,
  queryParameter,
  requestBody,
  routeParameter,
  toBoolean,
  toInteger,
  toOneOf,
} from './resolvers.js';

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

describe('routeParameter', () => {
  const request = get('/');
  request.scope.set(requestRoute, {
    name: 'show',
    path: '/{id}/{when}',
    parameters: { id: '12', when: new Date(0) },
  });

  it('returns the parameter, converted if requested', () => {
    assert.equal(routeParameter('id').resolve(request), '12');
    assert.equal(routeParameter('id', toInteger).resolve(request), 12);
    assert.deepEqual(routeParameter('when').resolve(request), new Date(0));
  });

  it('throws 404 for text that cannot be converted', async () => {
    const { status, code } = await failure(routeParameter('id', toOneOf('a')), request);
    assert.deepEqual([status, code], [404, 'CONTROLLER_PARAMETER_INVALID']);
  });

  it('reports the existing parameters, and never reaches Object.prototype', async () => {
    for (const name of ['slug', 'constructor', '__proto__', 'toString']) {
      const { code, message } = await failure(routeParameter(name), request);
      assert.equal(code, 'CONTROLLER_ROUTE_PARAMETER');
      assert.match(message, /show/);
      assert.throws(() => routeParameter(name).resolve(request), {
        fix: 'Use one of its parameters: id, when.',
      });
    }
    assert.equal((await failure(routeParameter('id'), get('/'))).code, 'CONTROLLER_ROUTE_PARAMETER');
  });
});

describe('queryParameter', () => {
  const request = get('/?page=3&tag=a&tag=b&bad=x');

  it('returns, converts, and uses the default', () => {
    assert.equal(queryParameter('page').resolve(request), '3');
    assert.equal(queryParameter('page', { convert: toInteger }).resolve(request), 3);
    assert.equal(queryParameter('none', { convert: toInteger, default: 1 }).resolve(request), 1);
    assert.equal(queryParameter('none', { optional: true }).resolve(request), undefined);
  });

  it('throws 400 if the parameter is missing or cannot be converted', async () => {
    assert.deepEqual(await failure(queryParameter('none'), request), {
      status: 400,
      code: 'CONTROLLER_QUERY_MISSING',
      message: 'Missing query parameter "none".',
    });
    const invalid = await failure(queryParameter('bad', { convert: toInteger, default: 1 }), request);
    assert.deepEqual([invalid.status, invalid.code], [400, 'CONTROLLER_QUERY_INVALID']);
  });
});

describe('other resolvers', () => {
  it('return a header, a cookie, the request', () => {
    const request = get('/', { headers: { 'X-One': '1', cookie: 'a=b%20c' } });
    const resolvers = [
      headerValue('x-one'),
      headerValue('x-two'),
      cookieValue('a'),
      cookieValue('toString'),
      currentRequest(),
    ];
    assert.deepEqual(resolveArguments(resolvers, request), ['1', undefined, 'b c', undefined, request]);
  });

  it('have the name that errors use', () => {
    const any = {
      '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
    } as const;
    const resolvers = [
      routeParameter('id'),
      queryParameter('page'),
      headerValue('x-one'),
      cookieValue('a'),
      currentRequest(),
      formBody(),
      requestBody(any),
      requestBody(any, { name: 'order' }),
    ];
    const names = ['id', 'page', 'x-one', 'a', 'request', 'form', 'body', 'order'];
    assert.deepEqual(
      resolvers.map(({ name }) => name),
      names,
    );
  });
});

describe('converters', () => {
  it('accept exactly the documented texts', () => {
    assert.deepEqual(['12', '-3', '007', '1e3', '1.0', '', ' 1', '9007199254740993', '١'].map(toInteger), [
      12,
      -3,
      7,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    assert.deepEqual(['1', 'TRUE', 'off', 'no', '', '2'].map(toBoolean), [
      true,
      true,
      false,
      false,
      undefined,
      undefined,
    ]);
    assert.deepEqual(['a', 'c'].map(toOneOf('a', 'b')), ['a', undefined]);
  });
});

describe('bodies', () => {
  it('pass JSON and forms through the same schema', async () => {
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

  it('throw 422 with every violation and its path', async () => {
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

  it('report at most 100 violations and their total number', () => {
    const error = new ValidationError(Array.from({ length: 150 }, () => ({ message: 'no' })));
    assert.equal(error.violations.length, 100);
    assert.match(error.message, /\n50 further violations are left out\.$/);
  });

  it('throw 415 for another, missing or malformed type; 400 for a missing body and malformed JSON', async () => {
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

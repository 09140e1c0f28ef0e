import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isCodedError } from '#coded-error';
import { attributesOf } from '#attributes';
import { isHttpError } from '#errors';
import type { HttpRequest } from '#http';
import { fromWebRequest, requestLocale, requestRoute } from '#http';
import { formBody, jsonBody, requestBody, uploadedFile } from './body-resolvers.js';
import { controllerArguments } from '../controller-arguments.js';
import { queryParameter, queryParameters, routeParameter } from './parameter-resolvers.js';
import { cookieValue, currentLocale, currentRequest, fixedValue, headerValue } from './request-resolvers.js';
import { resolveArguments } from '../resolve-arguments.js';
import type { StandardSchema } from '../standard-schema.js';
import { toOneOf, toBoolean, toDate, toInteger, toNumber } from './text-converters.js';
import { ValidationError } from '../validation-error.js';
import type { ValueResolver } from '../value-resolver.js';
import { withArguments } from '../with-arguments.js';

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

  it('gives the parameter, converted where asked', () => {
    assert.equal(routeParameter('id').resolve(request), '12');
    assert.equal(routeParameter('id', toInteger).resolve(request), 12);
    assert.deepEqual(routeParameter('when').resolve(request), new Date(0));
  });

  it('404 for a text that is no such value', async () => {
    const { status, code } = await failure(routeParameter('id', toOneOf('a')), request);
    assert.deepEqual([status, code], [404, 'CONTROLLER_PARAMETER_INVALID']);
  });

  it('names the parameters there are, and never reaches Object.prototype', async () => {
    for (const name of ['slug', 'constructor', '__proto__', 'toString']) {
      const { code, message } = await failure(routeParameter(name), request);
      assert.equal(code, 'CONTROLLER_ROUTE_PARAMETER');
      assert.match(message, /show/);
    }
    assert.equal((await failure(routeParameter('id'), get('/'))).code, 'CONTROLLER_ROUTE_PARAMETER');
  });
});

describe('queryParameter', () => {
  const request = get('/?page=3&tag=a&tag=b&bad=x');

  it('gives, converts, defaults', () => {
    assert.equal(queryParameter('page').resolve(request), '3');
    assert.equal(queryParameter('page', { convert: toInteger }).resolve(request), 3);
    assert.equal(queryParameter('none', { convert: toInteger, default: 1 }).resolve(request), 1);
    assert.equal(queryParameter('none', { optional: true }).resolve(request), undefined);
    assert.deepEqual(queryParameters('tag').resolve(request), ['a', 'b']);
    assert.deepEqual(queryParameters('page', toInteger).resolve(request), [3]);
    assert.deepEqual(queryParameters('none').resolve(request), []);
  });

  it('400 where it is missing or cannot be converted', async () => {
    assert.deepEqual(await failure(queryParameter('none'), request), {
      status: 400,
      code: 'CONTROLLER_QUERY_MISSING',
      message: 'Missing query parameter "none".',
    });
    const invalid = await failure(queryParameter('bad', { convert: toInteger, default: 1 }), request);
    assert.deepEqual([invalid.status, invalid.code], [400, 'CONTROLLER_QUERY_INVALID']);
  });
});

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
    assert.deepEqual(await jsonBody().resolve(post('[1]', 'application/json')), [1]);
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
    assert.equal(await status(jsonBody(titled), post(new URLSearchParams({ title: 'x' }))), 415);
    assert.equal(await status(requestBody(titled), post(new TextEncoder().encode('{}'))), 415);
    assert.equal(await status(requestBody(titled), post('{}', 'application/json, text/plain')), 415);
    assert.equal(await status(formBody(), post('{}', 'application/json')), 415);
    assert.equal(await status(requestBody(titled), get('/')), 400);
    assert.equal(await status(jsonBody(titled), post('{', 'application/json')), 400);
    assert.equal(
      await status(requestBody(titled), post('__proto__[x]=1', 'application/x-www-form-urlencoded')),
      400,
    );
    assert.equal(
      await status(requestBody(titled), post(`a${'[b]'.repeat(30)}=1`, 'application/x-www-form-urlencoded')),
      413,
    );
  });

  it('gives an uploaded file, and says what is wrong with one', async () => {
    const form = new FormData();
    form.set('photo', new Blob(['12345'], { type: 'image/png' }), 'a.png');
    const request = post(form);
    const file = await uploadedFile('photo', { types: ['image/*'], maxBytes: 5 }).resolve(request);
    assert.deepEqual(
      [file.filename, file.mediaType, Buffer.from(file.bytes).toString()],
      ['a.png', 'image/png', '12345'],
    );
    assert.equal(await uploadedFile('other', { optional: true }).resolve(request), undefined);
    assert.equal((await failure(uploadedFile('other'), request)).status, 400);
    assert.equal((await failure(uploadedFile('photo', { maxBytes: 4 }), request)).status, 413);
    assert.equal(
      (await failure(uploadedFile('photo', { types: ['image/jpeg', 'text/*'] }), request)).status,
      415,
    );
  });
});

describe('the rest of the request', () => {
  it('header, cookie, locale, request, fixed value', () => {
    const request = get('/', { headers: { 'X-One': '1', cookie: 'a=b%20c' } });
    request.scope.set(requestLocale, 'de');
    const resolvers = [
      headerValue('x-one'),
      headerValue('x-two'),
      cookieValue('a'),
      cookieValue('toString'),
      currentLocale(),
      currentRequest(),
      fixedValue('clock', Date),
    ];
    assert.deepEqual(resolveArguments(resolvers, request), [
      '1',
      undefined,
      'b c',
      undefined,
      'de',
      request,
      Date,
    ]);
    assert.equal(currentLocale().resolve(get('/')), 'en');
  });
});

describe('resolveArguments', () => {
  const failing = (error: unknown): ValueResolver => ({
    name: 'it',
    resolve: () => {
      throw error;
    },
  });
  const rejecting: ValueResolver = { name: 'late', resolve: () => Promise.reject(new Error('late')) };

  it('is no promise unless a resolver gave one', async () => {
    assert.deepEqual(resolveArguments([fixedValue('a', 1)], get('/')), [1]);
    const later: ValueResolver = { name: 'b', resolve: () => Promise.resolve(2) };
    assert.deepEqual(await resolveArguments([fixedValue('a', 1), later], get('/')), [1, 2]);
  });

  it('names the argument of an error that says nothing, and keeps those that do', async () => {
    const cause = new Error('boom');
    assert.throws(() => resolveArguments([failing(cause)], get('/')), {
      code: 'CONTROLLER_ARGUMENT_FAILED',
      cause,
    });
    await assert.rejects(async () => resolveArguments([rejecting], get('/')), /"late"/);
    assert.throws(() => resolveArguments([queryParameter('q')], get('/')), { status: 400 });
  });

  it('leaves no rejection behind when a later argument throws at once', async () => {
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

describe('converters', () => {
  it('take what they say and nothing else', () => {
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
    assert.deepEqual(['1.5', '-2', 'NaN', 'Infinity', '.5', '1.'].map(toNumber), [
      1.5,
      -2,
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
    assert.equal(toDate('2026-11-21')?.toISOString(), '2026-11-21T00:00:00.000Z');
    assert.equal(toDate('2026-11-21T10:00:00+02:00')?.toISOString(), '2026-11-21T08:00:00.000Z');
    assert.deepEqual(['2026-02-30', '2026-13-01', '21.11.2026', '2026-11-21T10:00', '2026'].map(toDate), [
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

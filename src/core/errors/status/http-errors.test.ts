import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import {
  BadRequestError,
  ConflictError,
  ForbiddenError,
  HeaderFieldsTooLargeError,
  HttpError,
  MethodNotAllowedError,
  NotFoundError,
  PayloadTooLargeError,
  RequestTimeoutError,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
  UnprocessableContentError,
  UnsupportedMediaTypeError,
  UriTooLongError,
  clientProblem,
  isHttpError,
  plainProblem,
  statusText,
} from './http-errors.js';

describe('errors with a status', () => {
  it('have a status, a name and a cause', () => {
    const cause = new Error('inner');
    for (const [error, status] of [
      [new BadRequestError('no', { cause }), 400],
      [new UnauthorizedError('Basic', 'no', { cause }), 401],
      [new NotFoundError('no', { cause }), 404],
      [new MethodNotAllowedError(['GET'], 'no', { cause }), 405],
      [new TooManyRequestsError(1, 'no', { cause }), 429],
      [new ServiceUnavailableError(1, 'no', { cause }), 503],
    ] as const) {
      assert.ok(error instanceof HttpError && isHttpError(error));
      assert.equal(error.status, status);
      assert.equal(error.name, error.constructor.name);
      assert.equal(error.cause, cause);
    }
  });

  it('send their own header field in addition to the given ones', () => {
    const headers = { 'X-Reason': 'closed' };
    assert.deepEqual(new MethodNotAllowedError(['GET', 'HEAD'], 'no', { headers }).headers, {
      ...headers,
      Allow: 'GET, HEAD',
    });
    assert.deepEqual(new UnauthorizedError('Bearer realm="api"', 'no', { headers }).headers, {
      ...headers,
      'WWW-Authenticate': 'Bearer realm="api"',
    });
    assert.deepEqual(new ServiceUnavailableError(undefined, 'no', { headers }).headers, headers);
  });

  it('give the retry time in whole seconds, never in the past', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (seconds) => {
        for (const error of [
          new TooManyRequestsError(seconds, 'no'),
          new ServiceUnavailableError(seconds, 'no'),
        ]) {
          const value = error.headers['Retry-After'] ?? '';
          assert.match(value, /^\d+$/);
          assert.ok(Number(value) === Math.max(0, Math.ceil(seconds)));
        }
      }),
    );
  });

  it('keep their own copy of the list of allowed methods', () => {
    const allowed = ['GET'];
    const error = new MethodNotAllowedError(allowed, 'no');
    allowed.push('DELETE');
    assert.deepEqual(error.allowed, ['GET']);
  });
});

describe('the part of an error that clients see', () => {
  it('is the message below 500, and only the status from 500 on, unless the error says otherwise', () => {
    assert.deepEqual(clientProblem(new NotFoundError('No such product.')), {
      ...plainProblem(404),
      detail: 'No such product.',
    });
    assert.deepEqual(
      clientProblem(new NotFoundError('No such product.', { expose: false })),
      plainProblem(404),
    );
    assert.deepEqual(clientProblem(new HttpError(500, 'The disk is full.')), plainProblem(500));
    assert.equal(clientProblem(new HttpError(500, 'Try later.', { expose: true })).detail, 'Try later.');
  });

  it('is only the status 500 for any other thrown value', () => {
    fc.assert(
      fc.property(fc.anything(), (thrown) => assert.deepEqual(clientProblem(thrown), plainProblem(500))),
    );
    const pretender = Object.assign(new Error('secret'), {
      status: 404,
      expose: true,
      name: 'NotFoundError',
    });
    assert.deepEqual(clientProblem(pretender), plainProblem(500));
  });

  it('has no empty detail, and always a bounded one', () => {
    assert.ok(!('detail' in clientProblem(new NotFoundError(''))));
    assert.equal(clientProblem(new NotFoundError('x'.repeat(10_000))).detail?.length, 4000);
  });

  it('lists the violations one by one', () => {
    const violations = [{ path: 'items[0].price', message: 'is no number', code: 'invalid' }] as const;
    assert.deepEqual(clientProblem(new BadRequestError('no', { violations })).violations, violations);
    assert.ok(!('violations' in clientProblem(new BadRequestError('no'))));
  });
});

describe('every kind of HTTP error', () => {
  it('has its own status, and its phrase from RFC 9110', () => {
    const kinds = { BadRequestError, ForbiddenError, NotFoundError, RequestTimeoutError, ConflictError, PayloadTooLargeError, UriTooLongError, UnsupportedMediaTypeError, UnprocessableContentError, HeaderFieldsTooLargeError }; // prettier-ignore
    const found = Object.entries(kinds).map(([name, Kind]) => {
      const error = new Kind('no');
      assert.equal(error.name, name);
      return `${error.status} ${statusText(error.status)}`;
    });
    assert.deepEqual(found, [
      '400 Bad Request',
      '403 Forbidden',
      '404 Not Found',
      '408 Request Timeout',
      '409 Conflict',
      '413 Content Too Large',
      '414 URI Too Long',
      '415 Unsupported Media Type',
      '422 Unprocessable Content',
      '431 Request Header Fields Too Large',
    ]);
  });

  it('has a status from 400 to 599; from 500 on its message is hidden from clients', () => {
    for (const status of [399, 600, 400.5, NaN]) assert.throws(() => new HttpError(status, 'no'), RangeError);
    const exposed = [400, 499, 500, 599].map((status) => new HttpError(status, 'no').expose);
    assert.deepEqual(exposed, [true, true, false, false]);
  });

  it('has a generic phrase if its status has none', () => {
    assert.deepEqual(
      [statusText(299), statusText(399), statusText(400), statusText(499), statusText(500), statusText(599)],
      ['Unknown', 'Unknown', 'Bad Request', 'Error', 'Internal Server Error', 'Server Error'],
    );
  });
});

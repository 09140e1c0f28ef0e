import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plain } from '../../../test/profiler/plain-record.js';
import type { ProfileRecord, RecordedBody } from './profile-record.js';
import { summaryOf } from './profile-summary.js';

const bodyOf = (content: string, contentType = 'application/json'): RecordedBody => ({
  encoding: 'text',
  content,
  contentType,
  bytes: content.length,
  cut: false,
});

function recordOf(
  asked: unknown,
  answered: unknown = { data: {} },
  url = 'http://a.test/graphql',
): ProfileRecord {
  const request = { ...plain.request, method: asked === undefined ? 'GET' : 'POST', url, path: '/graphql' };
  const { response } = plain;
  assert.ok(response !== null);
  return {
    ...plain,
    exception: null,
    route: null,
    request: { ...request, body: asked === undefined ? null : bodyOf(JSON.stringify(asked)) },
    response: { ...response, status: 200, body: bodyOf(JSON.stringify(answered)) },
  };
}

describe("a GraphQL request's row", () => {
  for (const [asked, route] of [
    [{ query: 'query Books($n: Int) { books }' }, 'POST /graphql query Books'],
    [{ query: '# first\n  mutation Login { login(password: "x") }' }, 'POST /graphql mutation Login'],
    [{ query: 'query A { a } query B { b }', operationName: 'B' }, 'POST /graphql query B'],
    [{ query: 'fragment F on Book { id } query Books { books { ...F } }' }, 'POST /graphql query Books'],
    [{ query: '{ books }' }, 'POST /graphql query'],
    [{ query: 'subscription { news }' }, 'POST /graphql subscription'],
    [{ operationName: 'Stored', extensions: { persistedQuery: { version: 1 } } }, 'POST /graphql Stored'],
    [[{ query: '{ a }' }, { query: 'query B { b }' }], 'POST /graphql query, query B'],
    [{ query: 'shoes' }, null],
    [{ query: 'query of a search' }, null],
    [{ query: 7 }, null],
    ['text', null],
  ] as const)
    it(`names the operation in ${JSON.stringify(asked)}`, () => {
      assert.equal(summaryOf(recordOf(asked), {}).route, route);
    });

  it("names a GET request's operation, after the framework's route", () => {
    const url = `http://a.test/graphql?query=${encodeURIComponent('query Books { books }')}`;
    assert.equal(summaryOf(recordOf(undefined, {}, url), {}).route, 'GET /graphql query Books');
    const routed = {
      ...recordOf({ query: '{ a }' }),
      route: { ...plain.route, name: 'api', path: '/graphql' },
    };
    assert.equal(summaryOf(routed as ProfileRecord, {}).route, 'api query'); // the rest of the route does not matter
  });

  it('is not a success if a 200 has errors, and is one otherwise', () => {
    const failed = summaryOf(
      recordOf({ query: '{ nope }' }, { errors: [{ message: 'Cannot query field "nope".' }] }),
      {},
    );
    assert.deepEqual([failed.errorClass, failed.exception], ['GraphQLError', 'Cannot query field "nope".']);
    for (const answered of [{ data: {} }, { errors: [] }, { data: { list: '"errors"' } }])
      assert.equal(summaryOf(recordOf({ query: '{ a }' }, answered), {}).errorClass, null);
    assert.equal(summaryOf(recordOf({ name: 'a' }, { errors: [{ message: 'no' }] }), {}).errorClass, null);
  });
});

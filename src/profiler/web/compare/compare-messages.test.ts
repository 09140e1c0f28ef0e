import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dump } from '#core/dump';
import { plain } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord, RecordedRequest } from '../../model/profile-record.js';
import {
  compareRequests,
  compareResponses,
  describeDifferences,
  describeMessages,
} from './compare-messages.js';

const sent = (changes: Partial<RecordedRequest>, more: Partial<ProfileRecord> = {}): ProfileRecord => ({
  ...plain,
  ...more,
  request: { ...plain.request, ...changes },
});
const json = (value: unknown): Partial<RecordedRequest> => ({
  parsed: { format: 'json', value: dump(value) },
  body: {
    encoding: 'text',
    content: JSON.stringify(value),
    contentType: 'application/json',
    bytes: 9,
    cut: false,
  },
});
const linesOf = (before: ProfileRecord, after: ProfileRecord): readonly string[] =>
  compareRequests(before, after).differences.map(
    ({ part, name, before: was, after: is }) => `${part} | ${name} | ${was} | ${is}`,
  );

describe('differences between requests', () => {
  it('pair body members by name, and show additional list entries', () => {
    const items = [{ product: 1 }, { product: 2 }];
    const good = json({ customer: 7, card: 'good', items });
    const bad = json({ customer: 7, card: 'bad', items: [...items, { product: 5 }] });
    assert.deepEqual(linesOf(sent(good), sent(bad)), [
      'request body | card | "good" | "bad"',
      'request body | items | 2 items | 3 items + { product: 5 }',
    ]);
    const deep = (amount: number) => json({ cart: { items: [{ amount }], note: null } });
    assert.deepEqual(linesOf(sent(deep(1)), sent(deep(-1))), [
      'request body | cart.items[0].amount | 1 | -1',
    ]);
    assert.deepEqual(linesOf(sent(json({ a: 1 })), sent(json({ b: 1 }))), [
      'request body | a | 1 | null',
      'request body | b | null | 1',
    ]);
  });

  it('include route parameters, query, headers and user, and name equal parts', () => {
    const routeWith = (id: string): Partial<ProfileRecord> => ({
      route: {
        name: 'a',
        path: '/a/{id}',
        parameters: [{ name: 'id', value: dump(id) }],
        trace: null,
        allow: [],
      },
    });
    const one = sent({ query: [['page', '1']], headers: [['Accept', 'a']], user: 'ann' }, routeWith('1'));
    const other = sent({ query: [['page', '2']], headers: [['accept', 'b']], user: 'bob' }, routeWith('2'));
    assert.deepEqual(linesOf(one, other), [
      'path | id | "1" | "2"',
      'query | page | 1 | 2',
      'headers | Accept | a | b',
      'user | user | ann | bob',
    ]);
    assert.equal(
      describeMessages(compareRequests(one, other)),
      'path: 1 value differs; query: 1 value differs; headers: 1 value differs; user: 1 value differs; method and host are the same',
    );
  });

  it('count what differs between any two requests, without showing it', () => {
    const headers = (id: string): Partial<RecordedRequest> => ({
      headers: [
        ['X-Request-Id', id],
        ['traceparent', id],
        ['Content-Type', `multipart/form-data; boundary=${id}`],
      ],
    });
    const { differences, leftOut } = compareRequests(sent(headers('1')), sent(headers('2')));
    assert.deepEqual([differences, leftOut], [[], ['X-Request-Id', 'traceparent']]);
    const response = (etag: string): ProfileRecord => ({
      ...plain,
      response: plain.response && {
        ...plain.response,
        headers: [
          ['Date', etag],
          ['ETag', etag],
          ['Server-Timing', etag],
          ['X-Debug-Token', etag],
        ],
      },
    });
    assert.deepEqual(compareResponses(response('1'), response('2')), {
      differences: [],
      same: [],
      leftOut: ['Date', 'ETag', 'Server-Timing', 'X-Debug-Token'],
      unknown: [],
    });
  });

  it('say that redacted values with the same mark are the same, and nothing about values with different marks', () => {
    const keys = ['Zk81-mQp9-xW2v-7Yt4', 'Aq93-xL0p-Qw7e-5Rt2'];
    const [one, other] = keys.map((key) => sent(json({ apiKey: key, name: 'a' })));
    assert.ok(one !== undefined && other !== undefined);
    const { differences, unknown, same } = compareRequests(one, one);
    assert.deepEqual([differences, unknown, same.includes('request body')], [[], [], true]);
    const apart = compareRequests(one, other);
    assert.deepEqual([apart.differences, apart.unknown], [[], ['apiKey']]);
  });

  it('say that redacted values with different marks differ, if the records are from one process', () => {
    const marks = ['[redacted-a3f1]', '[redacted-09be]'];
    const of = (mark: string, key: string, body = 'Zk81-mQp9-xW2v-7Yt4'): ProfileRecord =>
      sent(
        { ...json({ apiKey: body }), headers: [['Authorization', mark]] },
        { config: { 'redaction key': key } },
      );
    const [one, other] = [of(marks[0] ?? '', 'a'), of(marks[1] ?? '', 'a', 'Aq93-xL0p-Qw7e-5Rt2')];
    const { differences, unknown } = compareRequests(one, other);
    assert.deepEqual(unknown, []);
    assert.deepEqual(
      differences.map(({ part, name }) => `${part} ${name}`),
      ['request body apiKey', 'headers Authorization'],
    );
    assert.match(differences[0]?.before ?? '', /^\[redacted-[\da-f]{4}\]$/);
    assert.deepEqual(compareRequests(one, of(marks[1] ?? '', 'b')).unknown, ['Authorization']);
    const unmarked = compareRequests(of('[redacted]', 'a'), of('[redacted]', 'a'));
    assert.deepEqual([unmarked.differences, unmarked.unknown], [[], ['Authorization']]);
    const encoded = [['next', '/a?key=%5Bredacted%5D']] as const;
    assert.deepEqual(compareRequests(sent({ query: encoded }), sent({ query: encoded })).unknown, ['next']);
  });

  it('say that redacted and truncated values cannot be compared, not that they are the same', () => {
    const secret = sent({ headers: [['Authorization', '[redacted]']], cookies: [['sid', '[redacted]']] });
    const { differences, unknown, same } = compareRequests(secret, secret);
    assert.deepEqual([differences, unknown], [[], ['Authorization', 'sid']]);
    assert.equal(same.includes('headers') || same.includes('cookies'), false);
    const cut = sent({
      body: { encoding: 'text', content: 'abc', contentType: 'text/plain', bytes: 90, cut: true },
    });
    assert.deepEqual(compareRequests(cut, cut).unknown, ['request body']);
    const hidden = json({ password: 'x', name: 'a' });
    assert.equal(compareRequests(sent(hidden), sent(hidden)).same.includes('request body'), false);
  });
});

describe('the described differences between requests', () => {
  it('have a name and both sides; headers are only named', () => {
    const headers = (list: readonly string[]) => list.map((name) => [name, 'x'] as const);
    const before = sent({ query: [['page', '1']], headers: headers(['a']) });
    const after = sent({ query: [['sort', 'z'.repeat(99)]], headers: headers(['b', 'c', 'd', 'e']) });
    assert.deepEqual(describeDifferences(compareRequests(before, after)), [
      { text: 'page', sides: ['1', 'not sent'] },
      { text: 'sort', sides: ['not sent', `${'z'.repeat(59)}…`] },
      { text: 'headers: a, b, c and 2 more' },
    ]);
    assert.deepEqual(describeDifferences(compareRequests(before, before)), []);
  });
});

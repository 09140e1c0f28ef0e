import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProfileRecord } from '#profiler';
import { plain } from '../../../test/profiler/plain-record.js';
import { summaryOf } from '../model/profile-summary.js';
import { type McpOptions, recordTools, type ToolInput, type ToolText } from './record-tools.js';

type Records = McpOptions['records'];

/** What a tool answers about records, and which lists it has asked for. */
async function ask(
  name: string,
  input: ToolInput,
  given: {
    readonly records?: readonly ProfileRecord[];
    readonly rows?: readonly ReturnType<typeof summaryOf>[];
  } & Omit<Partial<McpOptions>, 'records'> = {},
): Promise<ToolText & { readonly listed: readonly unknown[] }> {
  const { records = [plain], rows = records.map((one) => summaryOf(one, {})), ...options } = given;
  const listed: unknown[] = [];
  const source: Partial<Records> = {
    collected: [],
    async list(query) {
      listed.push(query);
      return { rows, next: null, complete: true };
    },
    async find(token) {
      const record = records.find((one) => one.token === token);
      return record === undefined ? { kind: 'never' } : { kind: 'found', record };
    },
  } as Partial<Records>; // of a lookup, the tools read no more
  const tool = recordTools.find((one) => one.name === name);
  assert.ok(tool !== undefined);
  return { ...(await tool.run(input, { records: source as Records, ...options })), listed }; // only these are called
}

const row = summaryOf(plain, {});

describe('find_requests', () => {
  it('lists 20 requests by default, the newest first or the largest of a column', async () => {
    const { listed } = await ask('find_requests', { query: 'status:>=500' });
    const test = { kind: 'numbers', ranges: [[500, null]] };
    assert.deepEqual(listed, [{ where: [{ columns: ['status'], test, isNegated: false }], limit: 20 }]);
    const sorted = await ask('find_requests', { sort: 'status', limit: '100', cursor: 'c' });
    assert.deepEqual(sorted.listed, [
      { where: [], limit: 100, sort: { column: 'status', isAscending: false }, before: 'c' },
    ]);
  });

  it('refuses limits other than 1 to 100, with a reason', async () => {
    for (const limit of ['0', '101', '1.5', 'many', '-1'])
      assert.deepEqual(await ask('find_requests', { limit }), {
        text: '"limit" is a whole number from 1 to 100.',
        isError: true,
        listed: [],
      });
    assert.equal((await ask('find_requests', { limit: '1' })).isError, undefined);
  });

  it('sorts by the names of the query language, and refuses what is no number of a record', async () => {
    const { listed } = await ask('find_requests', { sort: '-duration' });
    assert.deepEqual(listed, [{ where: [], limit: 20, sort: { column: 'durationMs', isAscending: true } }]);
    for (const sort of ['durations', 'route', ''])
      assert.deepEqual(await ask('find_requests', { sort }), {
        text: '"sort" names a number, such as duration, status or queries.',
        isError: true,
        listed: [],
      });
  });

  it('says which part of a query is wrong', async () => {
    const { text, isError } = await ask('find_requests', { query: 'status:200 statsu:5' });
    assert.equal(isError, true);
    assert.match(text, /^“statsu”: There is no field/);
  });

  it('has one line for each request: its facts, its error and the place of its queries, whatever it lacks', async () => {
    const failed = {
      ...row,
      token: 'fff000',
      status: 0,
      state: 'aborted' as const,
      route: 'home',
      url: `http://a.test/${'x'.repeat(200)}`,
      errorClass: 'TypeError',
      exception: 'It  broke\nhere',
      queryLocation: 'shop.ts:3',
    };
    const { text, data } = await ask(
      'find_requests',
      {},
      { rows: [row, failed, { ...failed, errorLocation: 'a.ts:1' }] },
    );
    const [first, second, third] = text.split('\n');
    assert.equal(first, 'abcdef 1970-01-01T00:00:01.000Z 200 GET http://a.test/ 200.0 ms route=none');
    assert.equal(
      second,
      `fff000 1970-01-01T00:00:01.000Z aborted GET http://a.test/${'x'.repeat(106)}… 200.0 ms route=home error=TypeError at unknown: It broke here queries at shop.ts:3`,
    );
    assert.match(third ?? '', / error=TypeError at a\.ts:1: /);
    const { requests } = data as { requests: readonly Record<string, unknown>[] };
    assert.equal(requests[0]?.['error'], null);
    assert.deepEqual(requests[1]?.['error'], {
      class: 'TypeError',
      location: null,
      message: 'It  broke\nhere',
    });
  });

  it('says that there is none, and after a cursor that it leads nowhere', async () => {
    assert.equal(
      (await ask('find_requests', {}, { rows: [] })).text,
      'No recorded request matches this query.',
    );
    const after = await ask('find_requests', { cursor: 'c'.repeat(60) }, { rows: [] });
    assert.equal(after.isError, true);
    assert.ok(after.text.startsWith(`Nothing follows the cursor "${'c'.repeat(50)}":`));
  });
});

describe('explain_failure', () => {
  it('explains the newest failure without a token, if there is one', async () => {
    const { text, listed } = await ask('explain_failure', {});
    const where = [{ columns: ['status'], test: { kind: 'numbers', ranges: [[500, null]] } }];
    assert.deepEqual(listed, [{ where, limit: 1 }]);
    assert.match(text, /^# 200 GET http:\/\/a\.test\/$/m);
    assert.deepEqual(await ask('explain_failure', {}, { rows: [] }), {
      text: 'No request was answered with 500 or more.',
      listed: [{ where, limit: 1 }],
    });
  });

  it('has the routes that nearly matched and the routing where none matched, and not elsewhere', async () => {
    const trace = {
      method: 'GET',
      path: '/blogg',
      host: 'a.test',
      outcome: 'no route',
      rows: [],
      omitted: 0,
      nearMisses: [{ name: 'blog', path: '/blog' }],
    };
    const route = {
      name: null,
      path: null,
      parameters: [],
      trace,
      allow: [],
    } as unknown as ProfileRecord['route']; // as far as it is shown
    const { text, listed } = await ask(
      'explain_failure',
      { token: 'abcdef' },
      { records: [{ ...plain, route }] },
    );
    assert.match(text, /^- near route: blog \/blog\n/);
    assert.match(text, /^## Routing$/m);
    assert.deepEqual(listed, []);
    const found = await ask(
      'explain_failure',
      { token: 'abcdef' },
      {
        records: [{ ...plain, route: { name: 'home', path: '/', parameters: [], trace: null, allow: [] } }],
      },
    );
    assert.doesNotMatch(found.text, /^## (?:Routing|HTTP client)$/m);
    assert.match(found.text, /^## Database$/m);
  });

  it('says why there is no such record', async () => {
    const { text, isError } = await ask('explain_failure', { token: 'abcde0' });
    assert.equal(isError, true);
    assert.match(text, /^No record abcde0\. /);
  });
});

describe('show_request', () => {
  it('shows overview, logs and queries, or the named panels', async () => {
    const headings = async (input: ToolInput): Promise<readonly string[]> =>
      [...(await ask('show_request', { token: 'abcdef', ...input })).text.matchAll(/^## (.*)$/gm)].map(
        ([, title = '']) => title,
      );
    assert.deepEqual(await headings({}), ['Overview', 'Database', 'Logs']);
    assert.deepEqual(await headings({ panel: 'routing' }), ['Routing']);
  });
});

describe('replay_request', () => {
  it('says that there is no record, and why one is not sent', async () => {
    assert.deepEqual(await ask('replay_request', {}), {
      text: 'There is no record .',
      isError: true,
      listed: [],
    });
    const posted = { ...plain, request: { ...plain.request, method: 'POST' } };
    const { text, isError } = await ask('replay_request', { token: 'abcdef' }, { records: [posted] });
    assert.equal(isError, true);
    assert.match(text, /^It was not sent: /);
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { redactedMark } from '#core/dump';
import { body, posted } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { RecordedRequest } from '../../model/profile-record.js';
import { type RepeatableRequest, repeatableRequest, type ReplayOptions, replayRequest } from './replay.js';

const { request } = posted;
const recordOf = (changes: Partial<ProfileRecord>): ProfileRecord => ({ ...posted, ...changes });

describe('the repeatable part of a request', () => {
  const of = (changes: Partial<RecordedRequest>): RepeatableRequest =>
    repeatableRequest(recordOf({ request: { ...request, ...changes } }));

  it('excludes only what belongs to the connection', () => {
    const headers = [
      ['Host', 'a.test'],
      ['CONNECTION', 'close'],
      [':path', '/'],
      ['Content-Length', '4'],
      ['Accept', '*/*'],
      ['X-A', '1'],
      ['X-A', '2'],
    ] as const;
    const found = of({ headers, body });
    assert.deepEqual(found.headers, headers.slice(4));
    assert.deepEqual(
      [found.body, found.missing, found.isWhole],
      [{ encoding: 'text', content: 'text' }, [], true],
    );
  });

  it('names what the record lacks, without which it could mean something else', () => {
    const secret = of({
      headers: [
        ['Cookie', `a=${redactedMark}`],
        ['Cookie', redactedMark],
      ],
    });
    assert.deepEqual([secret.missing, secret.headers, secret.isWhole], [['Cookie'], [], true]);
    for (const [changes, words] of [
      [{ url: `http://a.test/?t=${redactedMark}` }, /secret in the URL/],
      [{ url: `http://a.test/?t=${encodeURIComponent(redactedMark)}` }, /secret in the URL/],
      [{ headers: [['Content-Length', '9']] }, /which was not recorded/],
      [{ body: { ...body, cut: true } }, /recorded in part/],
      [{ body: { ...body, content: `a=${redactedMark}` } }, /secrets in the body/],
    ] as const) {
      const found = of(changes);
      assert.equal(found.isWhole, false);
      assert.match(found.missing.join(), words);
    }
    assert.equal(of({ headers: [['Content-Length', '0']] }).isWhole, true);
  });
});

describe('a replayed request', () => {
  const arrived: string[] = [];
  const stolen: string[] = [];
  const listen = (hits: string[]): Server =>
    createServer((incoming, answer) => {
      const { method, url, headers } = incoming;
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        hits.push(
          `${method} ${url} ${String(headers['lookback-replay'])} ${Buffer.concat(chunks).toString('hex')}`,
        );
        answer.setHeader('x-debug-token', 'fff').end('a'.repeat(5000));
      });
    }).listen(0, '127.0.0.1');
  const own = listen(arrived);
  const other = listen(stolen);
  const originOf = (server: Server): string => `127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  before(() => Promise.all([own, other].map((server) => server.listening || once(server, 'listening'))));
  after(() => {
    own.close();
    other.close();
  });
  const send = (
    changes: Partial<RecordedRequest>,
    options: ReplayOptions = {},
  ): ReturnType<typeof replayRequest> =>
    replayRequest(
      recordOf({ request: { ...request, method: 'GET', host: originOf(own), ...changes } }),
      options,
    );

  const reasonOf = (answer: Awaited<ReturnType<typeof replayRequest>>): string =>
    typeof answer === 'string' ? answer : 'it was sent';

  it("arrives where the record says, with its bytes and the record's name, and its response is read", async () => {
    const bytes = { ...body, encoding: 'base64', content: 'AAH/' } as const;
    const answer = await send({ method: 'POST', target: '/x?a=1', body: bytes }, { mayWrite: true });
    assert.ok(typeof answer === 'object', reasonOf(answer));
    assert.deepEqual([answer.status, answer.token, answer.body.length], [200, 'fff', 2000]);
    assert.equal(arrived.pop(), 'POST /x?a=1 abc123 0001ff');
    await send({ target: '/x' }, { hasCpuProfile: true });
    assert.equal(arrived.pop(), 'GET /x?_profile=cpu abc123 ');
  });

  it('goes to no other host, whatever the target names', async () => {
    const host = originOf(other);
    const targets = [
      '//HOST/x',
      '/\\HOST/x',
      '\\\\HOST/x',
      '/\t/HOST/x',
      '/\n/HOST/x',
      '/\r\\HOST/x',
      '///HOST/x',
      'http://HOST/x',
    ];
    const before = arrived.length;
    for (const target of targets.map((text) => text.replace('HOST', host)))
      for (const to of [undefined, `http://${originOf(own)}`]) {
        const answer = await send({ target }, { to });
        assert.ok(typeof answer === 'object' || answer.includes('is not a path'), reasonOf(answer));
      }
    assert.deepEqual(stolen, []);
    assert.ok(arrived.length >= before + 12, 'the application received the replays');
    for (const named of [
      'evil.example',
      `127.0.0.1@${host.replace('127.0.0.1', 'evil.example')}`,
      'evil.example#localhost',
    ])
      assert.match(reasonOf(await send({ target: '/x', host: named })), /which is not this machine/);
    assert.match(reasonOf(await send({ target: '/x', host: '' })), /“http:\/\/” is not an origin such as/);
    assert.match(
      reasonOf(await send({ target: '/x' }, { to: 'staging' })),
      /“staging” is not an origin such as/,
    );
  });

  it("is refused if it may change something, is incomplete, or is the profiler's own", async () => {
    assert.match(reasonOf(await send({ method: 'POST' })), /POST may change something/);
    assert.match(reasonOf(await send({ body }, {})), /a GET with a body cannot be sent/);
    assert.match(
      reasonOf(await send({ body: { ...body, content: '' } })),
      /the body, which was not recorded/,
    );
    const own = recordOf({ origin: 'profiler' });
    assert.match(reasonOf(await replayRequest(own, { mayWrite: true })), /profiler’s own/);
  });
});

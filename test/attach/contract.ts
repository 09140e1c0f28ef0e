import assert from 'node:assert/strict';
import { get } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { ProfileRecord } from 'lookback/profiler';
import { ask, askAtOnce, comparable, tokenOf, wire } from './wire.js';
import { until, untilStill } from '../until.js';

/** A listening application. */
export interface RunningApp {
  readonly port: number;
  close(): Promise<void>;
}

/** The application that each framework's file builds in its own way; see `routes` in apps/. */
export interface Subject {
  readonly name: string;
  /** The application without lookback, or attached with the adapter's one line. */
  start(isAttached: boolean): Promise<RunningApp>;
  /** The recorded route pattern of `/users/:id`; undefined if the server has no router. */
  readonly pattern: string | undefined;
  /** The name of the handler for `/users/:id`; undefined if it has none. */
  readonly handler: string | undefined;
  /** Whether the error thrown by `/boom` reaches the record. */
  readonly seesErrors: boolean;
  /** Whether the application parses bodies itself, and answers malformed ones with 400. */
  readonly refusesBodies?: true;
  /** The name of a middleware that runs for every request. */
  readonly middleware?: string | undefined;
  /** Whether handlers have access to Node's own response. */
  readonly isRaw: boolean;
}

/** Removes stack frames (as text, HTML or JSON) and chunk lengths from a body. */
const withoutStack = (body: string): string =>
  body
    .replace(/(?:\n|\\n|<br>)(?:&nbsp;|\s)*at [^\n"\\<]*/g, '')
    .replace(/^[\da-f]+\r\n|\r\n[\da-f]+\r\n/g, '');

const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4);

/** The contract of every way to attach: responses are the same with and without lookback, and the record is complete. */
export function describeAttaching(subject: Subject): void {
  describe(`attached to ${subject.name}`, () => {
    let plain: RunningApp;
    let watched: RunningApp;
    before(async () => {
      [plain, watched] = [await subject.start(false), await subject.start(true)];
    });
    after(async () => {
      await plain.close();
      await watched.close();
    });
    const recordOf = async (token: string): Promise<ProfileRecord> => {
      // The record closes with the connection, which may be after the client has read everything.
      let text = '';
      return until(
        async () => {
          const response = await fetch(`http://127.0.0.1:${watched.port}/_profiler/${token}.json`);
          text = await response.text();
          const isOver = response.status === 200 && /"state":"(?:complete|aborted)"/.test(text);
          return isOver && (JSON.parse(text) as ProfileRecord); // our own JSON
        },
        () => text.slice(0, 500),
      );
    };

    const same: [string, string][] = [
      ['a route', ask('GET', '/users/7?tab=a')],
      ['HEAD', ask('HEAD', '/users/7')],
      ['a body', ask('POST', '/echo', '{"name":"Ada"}')],
      ['a malformed body', ask('POST', '/echo', '{"name"')],
      ['a stream', ask('GET', '/stream')],
      ['no content', ask('GET', '/empty')],
      ['a miss', ask('GET', '/nowhere')],
      ['another method', ask('DELETE', '/users/7')],
      ['two cookies', ask('GET', '/cookies')],
      [
        'two requests on one connection',
        `GET /users/1 HTTP/1.1\r\nHost: localhost\r\n\r\n${ask('GET', '/users/2')}`,
      ],
      ['HTTP/1.0', 'GET /stream HTTP/1.0\r\nHost: localhost\r\n\r\n'],
      [
        'a body in chunks',
        'POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"name":\r\n6\r\n"Ada"}\r\n0\r\n\r\n',
      ],
      [
        'Expect: 100-continue',
        'POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{"name":"Ada"}',
      ],
    ];
    for (const [what, request] of same)
      it(`the bytes are the same: ${what}`, async () => {
        const [without, with_] = [await wire(plain.port, request), await wire(watched.port, request)];
        assert.equal(comparable(with_), comparable(without));
        // HTTP/1.0, because a proxy may have forwarded the request.
        assert.equal(/^X-Debug-Token: /im.test(with_), what !== 'HTTP/1.0');
        assert.doesNotMatch(without, /X-Debug-Token/i);
      });

    it('the bytes of an error response are the same, apart from the stack', async () => {
      const [without, with_] = [
        await wire(plain.port, ask('GET', '/boom')),
        await wire(watched.port, ask('GET', '/boom')),
      ];
      assert.equal(with_.split('\r\n')[0], without.split('\r\n')[0]);
      const names = (answer: string): string[] =>
        [...answer.slice(0, answer.indexOf('\r\n\r\n')).matchAll(/^([\w-]+):/gm)].map((match) =>
          (match[1] ?? '').toLowerCase(),
        );
      assert.deepEqual(
        names(with_).filter((name) => !name.startsWith('x-debug') && name !== 'server-timing'),
        names(without),
      );
      assert.equal(withoutStack(bodyOf(with_)), withoutStack(bodyOf(without)));
    });

    it('the record has route, parameters, handler, bodies and the response', async () => {
      const answer = await wire(watched.port, ask('GET', '/users/7?tab=a'));
      const record = await recordOf(tokenOf(answer));
      assert.equal(record.request.target, '/users/7?tab=a');
      assert.equal(record.response?.status, 200);
      assert.equal(record.response?.body?.content, bodyOf(answer));
      assert.equal(record.response?.bodyBytes, bodyOf(answer).length);
      assert.deepEqual(
        record.response?.headers.map(([name, value]) => `${name}: ${value}`),
        answer.slice(0, answer.indexOf('\r\n\r\n')).split('\r\n').slice(1),
      );
      assert.equal(record.request.peer.address.replace('::ffff:', ''), '127.0.0.1');
      if (subject.pattern === undefined) return assert.equal(record.route, null, 'no router found');
      assert.equal(record.route?.path, subject.pattern);
      assert.deepEqual(
        record.route.parameters.map(({ name, value }) => [name, value.text]),
        [['id', '7']],
      );
      if (subject.handler !== undefined) assert.equal(record.controller?.name, subject.handler);
      if (subject.middleware !== undefined)
        assert.ok(
          record.timeline.some(({ name }) => name === subject.middleware),
          JSON.stringify(record.timeline),
        );
    });

    it('the record has the body that the application parsed', async () => {
      const record = await recordOf(
        tokenOf(await wire(watched.port, ask('POST', '/echo', '{"name":"Ada"}'))),
      );
      assert.equal(record.request.body?.content, '{"name":"Ada"}');
      assert.equal(record.request.parsed?.format, 'json');
    });

    const ofErrors = {
      skip: subject.seesErrors ? false : 'an error thrown in a node:http handler ends the process',
    };
    it('the record has the error with its cause', ofErrors, async () => {
      const answer = await wire(watched.port, ask('GET', '/boom'));
      const record = await recordOf(tokenOf(answer));
      assert.match(answer, /^HTTP\/1\.1 500 /);
      assert.equal(record.response?.status, 500);
      assert.deepEqual(record.exception?.errors.map(({ message }) => message).sort(), [
        'out of paper',
        'the root',
      ]);
    });

    const ofBodies = {
      skip: subject.refusesBodies === true ? false : 'it leaves body parsing to its handlers',
    };
    it('the record has the reason why a body could not be read', ofBodies, async () => {
      const answer = await wire(watched.port, ask('POST', '/echo', '{"name"'));
      assert.match(answer, /^HTTP\/1\.1 400/);
      const record = await recordOf(tokenOf(answer));
      assert.match(record.exception?.errors[0]?.message ?? '', /JSON/);
      assert.equal(record.exception?.errors[0]?.isNoError, undefined);
    });

    it('a client that disconnects is recorded as gone', async () => {
      const marker = `left-${process.hrtime.bigint()}`;
      await new Promise<void>((resolve) => {
        const request = get({ port: watched.port, path: `/endless?${marker}` }, (response) => {
          response.once('data', () => request.destroy());
        });
        request.on('error', () => undefined).on('close', () => resolve());
      });
      await until(async () => {
        const { request, state } = await recordOf('latest');
        return request.target === `/endless?${marker}` && state === 'aborted';
      });
    });

    it('a slow client makes the source wait', async () => {
      const read = async (port: number): Promise<number> => {
        const socket = connect(port, '127.0.0.1');
        socket.pause();
        socket.write(ask('GET', '/large'));
        const look = async (): Promise<number> => Number(bodyOf(await wire(port, ask('GET', '/made'))));
        await until(async () => (await look()) > 0);
        await untilStill(look);
        const made = await look();
        socket.destroy();
        return made;
      };
      const [without, with_] = [await read(plain.port), await read(watched.port)];
      assert.ok(
        with_ < 64 * 1024 * 1024,
        `${with_} bytes were generated for a client that reads nothing; without lookback: ${without}`,
      );
    });

    it("80 concurrent requests: no log line appears in another request's record", async () => {
      const get = askAtOnce(watched.port);
      const asked = Array.from({ length: 80 }, async (_, index) => {
        const path = `/users/${index}?log=n${index}`;
        const { headers } = await get(path, index % 3 === 0 ? { 'x-turn': 'late' } : {});
        return { path, token: String(headers['x-debug-token']), message: `n${index}` };
      });
      const answers = await Promise.all(asked);
      assert.equal(new Set(answers.map(({ token }) => token)).size, 80);
      for (const { path, token, message } of answers.filter((_, index) => index % 4 === 0)) {
        const record = await recordOf(token);
        assert.equal(record.request.target, path);
        assert.deepEqual(
          record.logs.map((log) => log.message),
          [message],
        );
      }
      const bodies = Array.from({ length: 30 }, async (_, index) => {
        const response = await fetch(`http://127.0.0.1:${watched.port}/echo`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name: `b${index}`, log: `b${index}` }),
        });
        assert.deepEqual(await response.json(), { name: `b${index}`, log: `b${index}` });
        return { token: response.headers.get('x-debug-token') ?? '', message: `b${index}` };
      });
      for (const { token, message } of await Promise.all(bodies))
        assert.deepEqual(
          (await recordOf(token)).logs.map((log) => log.message),
          [message],
        );
    });

    const ofRaw = { skip: subject.isRaw ? false : "its handlers have no access to Node's response" };
    it('early hints and trailers arrive as they were sent', ofRaw, async () => {
      const [without, with_] = [
        await wire(plain.port, ask('GET', '/raw')),
        await wire(watched.port, ask('GET', '/raw')),
      ];
      assert.match(without, /^HTTP\/1\.1 103 Early Hints\r\nLink: /);
      assert.match(without, /X-Sum: 3\r\n\r\n$/);
      assert.equal(comparable(with_), comparable(without));
    });

    it('clients without access see no records, and find no pages', async () => {
      const foreign = (path: string): string =>
        `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`;
      assert.equal(
        await wire(watched.port, foreign('/users/7')).then(comparable),
        await wire(plain.port, foreign('/users/7')).then(comparable),
      );
      assert.doesNotMatch(await wire(watched.port, foreign('/users/7')), /X-Debug/i);
      assert.equal(
        await wire(watched.port, foreign('/_profiler/')).then(comparable),
        await wire(plain.port, foreign('/_profiler/')).then(comparable),
      );
      assert.match(
        await wire(watched.port, ask('GET', '/_profiler/')),
        /^HTTP\/1\.1 200 [^]*<!doctype html>/,
      );
    });
  });
}

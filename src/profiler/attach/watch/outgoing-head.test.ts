import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HttpRequest } from '#core/http';
import {
  addedValue,
  fieldsOf,
  outgoingFields,
  takesBody,
  type ToolbarInput,
  withToolbar,
  writeWith,
} from './outgoing-head.js';

function response(method = 'GET'): ServerResponse {
  return new ServerResponse(Object.assign(new IncomingMessage(new Socket()), { method }));
}

const name = fc.constantFrom(
  'Content-Type',
  'content-type',
  'X-One',
  'x-two',
  'Set-Cookie',
  'set-cookie',
  'Server-Timing',
  'ETag',
);
const value = fc.stringMatching(/^[\w;=/-]{1,8}$/);
const pair = fc.tuple(name, value);
const added = fc.uniqueArray(
  fc.tuple(fc.constantFrom('X-Debug-Token', 'Set-Cookie', 'Server-Timing'), value),
  {
    selector: ([field]) => field,
  },
);

type Fields = readonly (readonly [string, string])[];

/** The head's fields as sent, including ours, in lower case. */
function written(
  outgoing: ServerResponse,
  args: readonly unknown[],
  fields: Fields = [],
): Record<string, string[]> {
  const given = writeWith(fields, outgoing, () => Reflect.apply(outgoing.writeHead, outgoing, args));
  assert.equal(given, outgoing);
  const { _header: head } = outgoing as unknown as { _header: string };
  assert.ok(head.endsWith('\r\n\r\n'));
  const found: Record<string, string[]> = {};
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(': ');
    if (colon > 0) (found[line.slice(0, colon).toLowerCase()] ??= []).push(line.slice(colon + 2));
  }
  return found;
}

/** The three argument forms that `writeHead` accepts. */
const forms: Record<string, (pairs: readonly (readonly [string, string])[]) => unknown> = {
  object: (pairs) => Object.fromEntries(new Map(pairs.map(([field, text]) => [field.toLowerCase(), text]))),
  pairs: (pairs) => pairs,
  flat: (pairs) => pairs.flat(),
};

describe('fields added to a head', () => {
  for (const [form, make] of Object.entries(forms))
    it(`leave writeHead's arguments unchanged (${form}), and are added to the application's own cookies`, () => {
      fc.assert(
        fc.property(fc.array(pair, { maxLength: 6 }), added, fc.boolean(), (pairs, extra, hasReason) => {
          const given = [200, ...(hasReason ? ['Fine'] : []), make(pairs)];
          const before = written(response(), given);
          const after = written(response(), given, extra);
          for (const [field, text] of extra) {
            const own = after[field.toLowerCase()] ?? [];
            assert.ok(own.includes(text), `${field} in ${JSON.stringify(after)}`);
            if (field !== 'X-Debug-Token') own.splice(own.lastIndexOf(text), 1);
            else delete after[field.toLowerCase()];
            if (own.length === 0) delete after[field.toLowerCase()];
          }
          assert.deepEqual(after, before);
        }),
      );
    });

  it('are sent in addition to those set before, and are invisible to the application', () => {
    const outgoing = response();
    outgoing.setHeader('Set-Cookie', ['a=1', 'b=2']);
    outgoing.setHeader('X-Own', 'kept');
    const args = [200, { 'X-Late': 'too' }];
    const fields = written(outgoing, args, [
      ['Set-Cookie', 'c=3'],
      ['X-Debug-Token', 'abc123'],
      ['X-Debug-Token-Link', 'no\r\nX-Split: 1'],
    ]);
    assert.deepEqual(fields['set-cookie'], ['a=1', 'b=2', 'c=3']);
    assert.deepEqual(
      [fields['x-own'], fields['x-late'], fields['x-debug-token'], fields['x-split']],
      [['kept'], ['too'], ['abc123'], undefined],
    );
    assert.deepEqual(outgoing.getHeaderNames(), ['set-cookie', 'x-own', 'x-late']);
  });

  it('are set before the head is written if Node does not expose it', () => {
    const set: unknown[] = [];
    const http2 = {
      _header: false,
      getHeader: (name: string) => (name === 'Set-Cookie' ? 'a=1' : undefined),
      setHeader: (...field: unknown[]) => set.push(field),
    };
    const given = writeWith(
      [
        ['Set-Cookie', 'b=2'],
        ['X-Debug-Token', 'abc'],
      ],
      http2 as unknown as ServerResponse,
      () => set.push('head'),
    );
    assert.deepEqual([given, ...set], [3, ['Set-Cookie', ['a=1', 'b=2']], ['X-Debug-Token', 'abc'], 'head']);
  });

  it('replace those from a server whose response is forwarded', () => {
    const upstream = { 'x-debug-token': 'abc', 'X-Debug-Token-Link': 'http://other/abc', etag: '"1"' };
    for (const given of [upstream, Object.entries(upstream), Object.entries(upstream).flat()]) {
      const fields = written(response(), [200, given], [['X-Debug-Token', 'ours']]);
      assert.deepEqual(
        [fields['x-debug-token'], fields['x-debug-token-link'], fields['etag']],
        [['ours'], undefined, ['"1"']],
      );
    }
  });

  it('are read in any form and case; those from writeHead come first', () => {
    fc.assert(
      fc.property(
        fc.array(pair, { maxLength: 6 }),
        fc.constantFrom(...Object.values(forms)),
        (pairs, make) => {
          const outgoing = response();
          outgoing.setHeader('X-One', 'set before');
          const read = outgoingFields(outgoing, [200, make(pairs)]);
          const given = pairs.filter(([field]) => field === 'X-One').map(([, text]) => text);
          const expected = make === forms['object'] ? given.slice(-1) : given;
          assert.deepEqual(read('x-one'), given.length === 0 ? ['set before'] : expected);
          assert.deepEqual(read('x-nobody'), []);
        },
      ),
    );
  });
});

describe('a response body', () => {
  it('is sent except for HEAD, 204 and 304', () => {
    assert.equal(takesBody(response()), true);
    assert.equal(takesBody(response('HEAD')), false);
    for (const statusCode of [204, 304])
      assert.equal(takesBody(Object.assign(response(), { statusCode })), false);
  });
});

describe('the toolbar in a response', () => {
  const page = '<!doctype html><p>ä</body>';
  const toolbar = (): ToolbarInput => ({
    request: new HttpRequest({
      method: 'GET',
      target: '/',
      rawHeaders: ['Host', 'localhost', 'Accept', 'text/html'],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    }),
    token: 'abc123',
    prefix: '/_profiler',
    isAwaited: false,
  });
  const tag =
    /^<!doctype html><p>ä<script[^>]*data-lookback="\/_profiler\/abc123"[^>]*><\/script>\n<\/body>$/;
  const headOf = (outgoing: ServerResponse): string => (outgoing as unknown as { _header: string })._header;

  it('is added to a page whose head is not written yet, and changes the dependent fields', () => {
    const outgoing = response();
    outgoing.setHeader('Content-Type', 'text/html');
    outgoing.setHeader('Content-Length', Buffer.byteLength(page));
    outgoing.setHeader('ETag', '"1"');
    const [body, encoding, ...others] = withToolbar(outgoing, [page, 'UTF-8', 'more'], toolbar());
    assert.match(String(body), tag);
    assert.deepEqual([encoding, others], ['UTF-8', ['more']]);
    assert.deepEqual(
      [outgoing.getHeader('content-length'), outgoing.getHeader('etag'), outgoing.getHeader('cache-control')],
      [String(Buffer.byteLength(String(body))), 'W/"1"', 'private'],
    );
  });

  it('changes a head that is written but not sent, in any spelling, and the length that Node compares', () => {
    const outgoing = response();
    outgoing.writeHead(200, {
      'CONTENT-TYPE': 'text/html',
      'content-length': Buffer.byteLength(page),
      'Cache-Control': 'public, max-age=5',
      'X-Own': 'a: b',
    });
    const [body] = withToolbar(outgoing, [page], toolbar());
    assert.match(String(body), tag);
    const lines = headOf(outgoing).split('\r\n');
    assert.equal(lines[0], 'HTTP/1.1 200 OK');
    assert.deepEqual(
      lines.filter((line) => /^(?:content|cache|x-own)/i.test(line)),
      [
        'CONTENT-TYPE: text/html',
        'X-Own: a: b',
        `Content-Length: ${Buffer.byteLength(String(body))}`,
        'Cache-Control: private, max-age=5',
      ],
    );
    assert.ok(headOf(outgoing).endsWith('\r\n\r\n'));
    assert.equal(Reflect.get(outgoing, '_contentLength'), Buffer.byteLength(String(body)));
  });

  it('is omitted if the head was sent unprepared', () => {
    const outgoing = response();
    outgoing.setHeader('Content-Type', 'text/html');
    outgoing.writeHead(200);
    Object.assign(outgoing, { _headerSent: true });
    const given = [page];
    assert.equal(withToolbar(outgoing, given, toolbar()), given);
    const http2 = {
      statusCode: 200,
      headersSent: true,
      getHeader: (name: string) => (name === 'content-type' ? 'text/html' : undefined),
      setHeader: () => assert.fail('the headers are already sent'),
    };
    assert.equal(withToolbar(http2 as unknown as ServerResponse, given, toolbar()), given);
    const [awaited] = withToolbar(http2 as unknown as ServerResponse, given, {
      ...toolbar(),
      isAwaited: true,
    });
    assert.match(String(awaited), tag);
  });

  it('is omitted from anything but a page, and from text in an encoding that is not a superset of ASCII', () => {
    const outgoing = response();
    outgoing.setHeader('Content-Type', 'text/html');
    for (const given of [[page, 'utf16le'], [page, 'base64'], ['<p>no end'], [undefined], [() => {}]])
      assert.equal(withToolbar(outgoing, given, toolbar()), given);
    for (const encoding of ['utf8', 'utf-8', 'latin1', 'binary', 'ASCII'])
      assert.match(String(withToolbar(outgoing, [page, encoding], toolbar())[0]), /script/, encoding);
  });
});

describe('fields in a head about to be written', () => {
  it('are read in any form that writeHead accepts, with or without a reason', () => {
    const pairs = [
      ['A', '1'],
      ['B', '2'],
    ];
    for (const args of [
      [200, { A: '1', B: '2' }],
      [200, 'OK', { A: '1', B: '2' }],
      [200, undefined, { A: '1', B: '2' }],
      [200, null, pairs],
      [200, pairs],
      [200, 'OK', ['A', '1', 'B', '2']],
    ])
      assert.deepEqual(fieldsOf(args), pairs);
    for (const args of [[200], [200, 'OK'], [200, undefined, null]]) assert.deepEqual(fieldsOf(args), []);
  });

  it("keep the application's cookies and timings next to an added one, and are otherwise replaced by it", () => {
    assert.deepEqual(addedValue('Set-Cookie', 'c', ['a', 'b']), ['a', 'b', 'c']);
    assert.deepEqual(addedValue('Server-Timing', 'c', 5), ['5', 'c']);
    assert.equal(addedValue('Set-Cookie', 'c', undefined), 'c');
    assert.equal(addedValue('X-Debug-Token', 'c', 'a'), 'c');
  });
});

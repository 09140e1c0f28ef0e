import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { outgoingFields, takesBody, writeWith } from './outgoing-head.js';

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

/** The fields that a head leaves with, ours among them, in lower case. */
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

/** The three forms that `writeHead` takes. */
const forms: Record<string, (pairs: readonly (readonly [string, string])[]) => unknown> = {
  object: (pairs) => Object.fromEntries(new Map(pairs.map(([field, text]) => [field.toLowerCase(), text]))),
  pairs: (pairs) => pairs,
  flat: (pairs) => pairs.flat(),
};

describe('fields that are added to a head', () => {
  for (const [form, make] of Object.entries(forms))
    it(`leave what writeHead is given as it is, where that is ${form}, and stand beside the application's own cookies`, () => {
      fc.assert(
        fc.property(fc.array(pair, { maxLength: 6 }), added, fc.boolean(), (pairs, extra, hasReason) => {
          const given = [200, ...(hasReason ? ['Fine'] : []), make(pairs)];
          const before = written(response(), given);
          const after = written(response(), given, extra);
          for (const [field, text] of extra) {
            const own = after[field.toLowerCase()] ?? [];
            assert.ok(own.includes(text), `${field} in ${JSON.stringify(after)}`);
            if (field !== 'X-Debug-Token') own.splice(own.indexOf(text), 1);
            else delete after[field.toLowerCase()];
            if (own.length === 0) delete after[field.toLowerCase()];
          }
          assert.deepEqual(after, before);
        }),
      );
    });

  it('stand beside what was set before, and the application does not find them among its own', () => {
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

  it('are set before the head is written where Node shows none', () => {
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

  it('stand in place of those of a server whose answer is handed on', () => {
    const upstream = { 'x-debug-token': 'abc', 'X-Debug-Token-Link': 'http://other/abc', etag: '"1"' };
    for (const given of [upstream, Object.entries(upstream), Object.entries(upstream).flat()]) {
      const fields = written(response(), [200, given], [['X-Debug-Token', 'ours']]);
      assert.deepEqual(
        [fields['x-debug-token'], fields['x-debug-token-link'], fields['etag']],
        [['ours'], undefined, ['"1"']],
      );
    }
  });

  it('are read back in whichever form and case they were given; those of writeHead come first', () => {
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

describe('the body of an answer', () => {
  it('leaves but for HEAD, 204 and 304', () => {
    assert.equal(takesBody(response()), true);
    assert.equal(takesBody(response('HEAD')), false);
    for (const statusCode of [204, 304])
      assert.equal(takesBody(Object.assign(response(), { statusCode })), false);
  });
});

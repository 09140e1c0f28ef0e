import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Scope } from '#core/scope';
import { mayCarryTrace, OutgoingCall } from './outgoing-call.js';

describe('an outgoing request carries the trace', () => {
  it('to this machine, private networks and neighbouring services', () => {
    for (const host of [
      'localhost:3000',
      '127.0.0.1',
      '[::1]:80',
      '10.1.2.3',
      '172.16.0.1',
      '192.168.1.9:8080',
      '169.254.169.254',
      '[fe80::1]',
      '[fd00::1]',
      'stock',
      'stock:8080',
      'shop.localhost',
      'printer.local',
      'db.internal',
      'api.test',
    ])
      assert.ok(mayCarryTrace(`http://${host}/path`), host);
  });

  it('to no other hosts', () => {
    for (const host of [
      'example.com',
      'api.example.com:8443',
      '8.8.8.8',
      '172.32.0.1',
      '[2001:db8::1]',
      'localhost.example.com',
      '127.0.0.1.example.com',
      'test.com',
      'internal.example',
    ])
      assert.equal(mayCarryTrace(`https://${host}/`), false, host);
  });
});

describe("an outgoing call's recorded body", () => {
  const moment = { startedAt: 0, callSite: () => [], scope: new Scope() } as never; // the constructor reads no more
  const received = (fields: readonly string[], chunks: readonly (string | Uint8Array)[]): OutgoingCall => {
    const call = new OutgoingCall(moment, { method: 'GET', url: 'http://localhost/' });
    call.answered(200, fields);
    for (const chunk of chunks) call.receivedChunk(chunk);
    return call;
  };
  const textOf = ({ response }: OutgoingCall): string => Buffer.concat(response?.chunks ?? []).toString();

  it('is kept for text only; other types and compressed bodies only have their bytes counted', () => {
    for (const [fields, kept] of [
      [['Content-Type', 'application/json'], '{"a":1}'],
      [['Content-Type', 'image/png'], ''],
      [[], ''],
      [['Content-Type', 'application/json', 'Content-Encoding', 'gzip'], ''],
    ] as const) {
      const call = received(fields, ['{"a"', Buffer.from(':1}')]);
      assert.deepEqual([textOf(call), call.response?.bytes], [kept, 7], fields.join());
    }
  });

  it('is kept up to its limit, and counted beyond it', () => {
    const call = received(
      ['Content-Type', 'text/plain'],
      ['a'.repeat(16_000), 'b'.repeat(1000), 'c', 'd'.repeat(2000)],
    );
    assert.equal(textOf(call), 'a'.repeat(16_000) + 'b'.repeat(384));
    assert.equal(call.response?.bytes, 19_001);
  });
});

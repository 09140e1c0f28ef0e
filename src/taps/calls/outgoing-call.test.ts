import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mayCarryTrace } from './outgoing-call.js';

describe('an outgoing request carries the trace', () => {
  it('to this machine, private networks and services beside this one', () => {
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

import assert from 'node:assert/strict';
import { isIPv4, isIPv6 } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isLoopback, parseIp } from './parse-ip.js';

describe('parseIp', () => {
  it('one address has one number, however it is spelled', () => {
    const spellings = [
      '127.0.0.1',
      '::ffff:127.0.0.1',
      '::FFFF:7f00:1',
      '0:0:0:0:0:ffff:127.0.0.1',
      '::ffff:7f00:0001',
    ];
    for (const text of spellings) assert.deepEqual(parseIp(text), { family: 4, value: 0x7f000001n }, text);
    for (const text of ['::1', '0:0:0:0:0:0:0:1', '0000::0001', '::1%lo'])
      assert.deepEqual(parseIp(text), { family: 6, value: 1n }, text);
  });

  it('refuses spellings that readers disagree about', () => {
    for (const text of [
      '',
      '127.1',
      '0177.0.0.1',
      '127.0.0.01',
      '127.0.0.256',
      '0x7f.0.0.1',
      '2130706433',
      ':::1',
    ])
      assert.equal(parseIp(text), undefined, text);
    for (const text of [
      '1::2::3',
      '::12345',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '127.0.0.1:80',
      '[::1]',
      ' ::1',
    ])
      assert.equal(parseIp(text), undefined, text);
  });

  it('knows loopback by number', () => {
    const check = (text: string): boolean => {
      const address = parseIp(text);
      return address !== undefined && isLoopback(address);
    };
    for (const text of ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.2'])
      assert.ok(check(text), text);
    for (const text of [
      '128.0.0.1',
      '126.255.255.255',
      '10.0.0.1',
      '::',
      '::2',
      '::ffff:10.0.0.1',
      '::127.0.0.1',
    ])
      assert.ok(!check(text), text);
  });

  it('reads what Node reads, and only that', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => assert.notEqual(parseIp(text), undefined)),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f:.]{1,20}$/), (text) => {
        if (parseIp(text) !== undefined) assert.ok(isIPv4(text) || isIPv6(text), text);
      }),
    );
  });
});

import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  isInNetworks,
  isLoopbackAddress,
  parseIpAddress,
  parseIpNetwork,
  isLoopbackHost,
  parseHost,
} from './ip-address.js';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'[]:.,;="\\ /%@a1f*'.split('')), maxLength: 40 }),
);

describe('IP addresses', () => {
  it('accepts exactly the addresses that Node accepts', () => {
    const spelling = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV4Extended(),
      anyText,
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.'.split('')), maxLength: 20 }),
      fc.string({ unit: fc.constantFrom(...':%.-0aZ_~ '.split('')), maxLength: 8 }),
    );
    fc.assert(
      fc.property(spelling, (text) => {
        const known = isIP(text) !== 0;
        assert.equal(parseIpAddress(text) !== undefined, known, text);
      }),
      { numRuns: 2000 },
    );
  });

  it("treats all of an address's spellings as one address", () => {
    const one = parseIpAddress('::1');
    for (const text of ['0:0:0:0:0:0:0:1', '0000::0001', '::0:1', '::0.0.0.1'])
      assert.deepEqual(parseIpAddress(text), one);
    assert.deepEqual(parseIpAddress('::ffff:10.0.0.1'), parseIpAddress('10.0.0.1'));
    assert.deepEqual(parseIpAddress('::FFFF:a00:1'), parseIpAddress('10.0.0.1'));
    for (const text of [
      '010.0.0.1',
      '0x7f.1',
      '127.1',
      '1',
      '1.2.3.256',
      '::1::',
      ':::',
      '1:2:3:4:5:6:7',
      '::%',
      '::% ',
      '::%a%b',
      '1.2.3.4%a',
      '1.2.3.4%:',
      '',
    ]) {
      assert.equal(parseIpAddress(text), undefined, text);
    }
  });

  it('networks contain their addresses and no others', () => {
    const holds = (network: string, address: string): boolean => {
      const parsed = parseIpNetwork(network);
      assert.ok(parsed !== undefined && parseIpAddress(address) !== undefined);
      return isInNetworks(address, [parsed]);
    };
    assert.equal(holds('10.0.0.0/8', '10.255.0.1'), true);
    assert.equal(holds('10.0.0.0/8', '::ffff:10.1.2.3'), true);
    assert.equal(holds('10.0.0.0/8', '11.0.0.0'), false);
    assert.equal(holds('192.168.1.128/25', '192.168.1.127'), false);
    assert.equal(holds('0.0.0.0/0', '255.255.255.255'), true);
    assert.equal(holds('0.0.0.0/0', '::1'), false, 'IPv4 alone');
    assert.equal(holds('::/0', '1.2.3.4'), true);
    assert.equal(holds('fc00::/7', 'fdff::1'), true);
    assert.equal(holds('fe80::/10', 'fec0::1'), false);
    assert.equal(holds('1.2.3.4', '1.2.3.4'), true);
    for (const text of ['10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/08', 'a/8', '/8']) {
      assert.equal(parseIpNetwork(text), undefined, text);
    }
  });

  it('recognises loopback addresses and hosts, and rejects lookalikes', () => {
    for (const text of ['127.0.0.1', '127.255.0.9', '::1', '::ffff:127.0.0.1', '0:0:0:0:0:0:0:1'])
      assert.ok(isLoopbackAddress(text), text);
    for (const text of ['128.0.0.1', '::2', '0.0.0.0', '::', '', 'localhost', '::127.0.0.1'])
      assert.ok(!isLoopbackAddress(text), text);
    for (const host of ['localhost', 'a.localhost', '127.0.0.1', '[::1]'])
      assert.ok(isLoopbackHost(host), host);
    for (const host of ['localhost.evil.example', '127.0.0.1.nip.io', 'xlocalhost', '0.0.0.0', '[::]'])
      assert.ok(!isLoopbackHost(host), host);
  });
});

describe('Host', () => {
  it('never throws, and its result parses to itself', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.domain(), fc.webAuthority()), (text) => {
        const parsed = parseHost(text);
        if (parsed === undefined) return;
        assert.match(parsed.host, /^(?:[a-z0-9_][a-z0-9_.-]*|\[[0-9a-f:.]+\])$/);
        assert.deepEqual(parseHost(parsed.host), { host: parsed.host, port: undefined });
      }),
      { numRuns: 2000 },
    );
  });

  it('is refused if the URL standard refuses it or parses another host', () => {
    const hosts = ['256.1.1.1', '1.2.3.4.5', 'a.0x', 'a.0x1', '999999999999', '09.1.1.1'];
    for (const host of [...hosts, '127.1', '0x7f.1', '2130706433', '1.2.3', '127.0.0.1.'])
      assert.equal(parseHost(host), undefined, host);
    // Node 24's URL parser accepts these two.
    for (const host of ['xn--a', 'b.xn--a.org'])
      assert.equal(parseHost(host) !== undefined, URL.canParse(`http://${host}/`), host);
    for (const host of ['127.0.0.1', 'xn--bcher-kva.example', '1a.example', 'v2.0a', 'example.org.'])
      assert.equal(parseHost(host)?.host, host);
  });

  it('that is accepted is a host by the URL standard', () => {
    const label = fc.constantFrom(
      'xn--',
      'xn--a',
      '0x',
      '0xff',
      '09',
      '255',
      '256',
      '1',
      'a',
      'a-',
      '_b',
      '.',
    );
    const names = fc.array(label, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(names, fc.constantFrom('', '.'), (labels, separator) => {
        const parsed = parseHost(labels.join(separator));
        if (parsed !== undefined) assert.equal(new URL(`http://${parsed.host}/`).hostname, parsed.host);
      }),
      { numRuns: 3000 },
    );
  });

  it('agrees with the URL parser on accepted hosts', () => {
    fc.assert(
      fc.property(fc.domain(), fc.integer({ min: 1, max: 65_535 }), (name, port) => {
        const parsed = parseHost(`${name}:${port}`);
        const url = new URL(`http://${name}:${port}/`);
        assert.deepEqual(parsed, { host: url.hostname, port });
      }),
    );
  });
});

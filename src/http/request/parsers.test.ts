import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isInNetwork, isLoopbackAddress, parseIpAddress, parseIpNetwork } from '../trust/ip-address.js';
import { parseMediaType } from '../headers/media-type.js';
import { negotiateType } from '../headers/negotiate-type.js';
import { parseCookies } from '../headers/parse-cookies.js';
import { parseForwarded } from '../headers/parse-forwarded.js';
import { isLoopbackHost, parseHost } from '../trust/parse-host.js';
import { renderCookie } from '../response/render-cookie.js';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'[]:.,;="\\ /%@a1f*'.split('')), maxLength: 40 }),
);

describe('IP addresses', () => {
  it('knows exactly the addresses that Node knows', () => {
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

  it('one address in many spellings is one address', () => {
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

  it('networks hold their addresses and no others', () => {
    const holds = (network: string, address: string): boolean => {
      const [left, right] = [parseIpAddress(address), parseIpNetwork(network)];
      assert.ok(left !== undefined && right !== undefined);
      return isInNetwork(left, right);
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

  it('loopback addresses and hosts, and names that only look like them', () => {
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
  it('never throws, and what it gives names itself again', () => {
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

  it('agrees with the URL parser on the host of what it takes', () => {
    fc.assert(
      fc.property(fc.domain(), fc.integer({ min: 1, max: 65_535 }), (name, port) => {
        const parsed = parseHost(`${name}:${port}`);
        const url = new URL(`http://${name}:${port}/`);
        assert.deepEqual(parsed, { host: url.hostname, port });
      }),
    );
  });
});

describe('Forwarded', () => {
  it('RFC 7239: elements, quoted values, escapes', () => {
    const parsed = parseForwarded('for="[2001:db8::1]:80";Proto=https, for=192.0.2.4;by="a\\"b,c;d"');
    assert.deepEqual(
      parsed?.map((element) => [...element]),
      [
        [
          ['for', '[2001:db8::1]:80'],
          ['proto', 'https'],
        ],
        [
          ['for', '192.0.2.4'],
          ['by', 'a"b,c;d'],
        ],
      ],
    );
  });

  it('refuses what is malformed or said twice', () => {
    for (const text of ['for', '=a', 'for=a b', 'for="a', 'for="a"b', 'for=a;for=b', 'f r=a', 'for=a/b']) {
      assert.equal(parseForwarded(text), undefined, text);
    }
  });

  it('never throws', () => {
    fc.assert(
      fc.property(anyText, (text) => void parseForwarded(text)),
      { numRuns: 2000 },
    );
  });
});

describe('media types', () => {
  it('one reading for 30 spellings: a type or none', () => {
    const json = [
      'application/json',
      'Application/JSON',
      ' application/json ',
      'application/json;',
      'application/json ; charset=utf-8',
      'application/json;charset="utf-8"',
      'application/json;\tcharset=utf-8',
      'application/json;a=1;b=2',
    ];
    for (const text of json) assert.equal(parseMediaType(text)?.essence, 'application/json', text);
    const none = [
      '',
      'application',
      'application/',
      '/json',
      'application/json/x',
      'application /json',
      'application/ json',
      'application/json x',
      'application/json\t',
      '\tapplication/json',
      'application/json, text/plain',
      'application/json;charset',
      'application/json;=x',
      'application/json;a="x',
      'application/json;a="x"y',
      'application/json;a=1;A=2',
      'application/json;a=b c',
      'application/js on',
      'application/json\x00',
      'application/json\x0b',
      'application/json;a=\x00',
      'appl(ication)/json',
      '*',
    ];
    for (const text of none) assert.equal(parseMediaType(text), undefined, JSON.stringify(text));
    assert.equal(parseMediaType('a/b;x="q\\"\\\\;,"')?.parameters.get('x'), 'q"\\;,');
  });

  it('never throws, and what it gives is a token twice', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const parsed = parseMediaType(text);
        if (parsed !== undefined) assert.match(parsed.essence, /^[^\s/;,]+\/[^\s/;,]+$/);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('Accept', () => {
  const offered = ['text/html', 'application/json', 'text/plain'];
  it('quality, then specificity, then the order of the offer', () => {
    const cases: readonly (readonly [string | undefined, string | undefined])[] = [
      [undefined, 'text/html'],
      ['', 'text/html'],
      ['*/*', 'text/html'],
      ['application/json', 'application/json'],
      ['APPLICATION/JSON', 'application/json'],
      ['text/*;q=0.5, application/json;q=0.4', 'text/html'],
      ['text/*, text/html;q=0.1', 'text/plain'],
      ['text/html;q=0, */*;q=0.1', 'application/json'],
      ['application/json;q=0.9,text/plain;q=0.901', 'text/plain'],
      ['image/png', undefined],
      ['*/*;q=0', undefined],
      ['application/json;q=2', undefined],
      ['application/json;v=1;q=0.2, text/plain; Q=0.1', 'application/json'],
      ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ];
    for (const [accept, expected] of cases) assert.equal(negotiateType(accept, offered), expected, accept);
  });

  it('never throws, and gives only what was offered', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const chosen = negotiateType(text, offered);
        assert.ok(chosen === undefined || offered.includes(chosen));
      }),
    );
  });
});

describe('cookies', () => {
  it('every value comes back as it was set', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const pair = renderCookie('name', value).split(';')[0] ?? '';
        assert.equal(parseCookies(pair).get('name'), value);
      }),
      { numRuns: 1000 },
    );
  });

  it('no value, path or domain can end its attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const render of [
          (): string => renderCookie('a', text),
          (): string => renderCookie('a', '', { path: text }),
          (): string => renderCookie('a', '', { domain: text }),
          (): string => renderCookie(text, ''),
        ]) {
          let rendered: string;
          try {
            rendered = render();
          } catch (error) {
            assert.ok(error instanceof TypeError);
            continue;
          }
          assert.match(rendered, /^[^,]*$/);
          assert.match(rendered, /^[\x20-\x7e]*$/);
          assert.ok(rendered.split(';').length <= 5, rendered);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps what browsers would drop from being set', () => {
    assert.throws(() => renderCookie('a', '', { sameSite: 'None' }), /Secure/);
    assert.throws(() => renderCookie('__Host-a', '', { secure: true, path: '/x' }), /Path=\//);
    assert.throws(() => renderCookie('__Host-a', ''), /Secure/);
    assert.throws(() => renderCookie('__Secure-a', ''), /Secure/);
    assert.throws(() => renderCookie('a', '', { maxAge: Number.NaN }), /Max-Age/);
    assert.throws(() => renderCookie('a', '', { expires: new Date(Number.NaN) }), /Expires/);
    assert.throws(() => renderCookie('a', '', { sameSite: 'Lax; x' as 'Lax' }), /SameSite/);
    assert.equal(
      renderCookie('__Host-a', 'b', { secure: true, maxAge: 1.9 }),
      '__Host-a=b; Path=/; Max-Age=1; Secure; HttpOnly; SameSite=Lax',
    );
  });

  it('reads what other applications write, and reaches no prototype', () => {
    const cookies = parseCookies('a=1; b="2"; a=3; c=100%; d; =e; f=; __proto__=x; g=%C3%A9');
    assert.deepEqual(
      [...cookies],
      [
        ['a', '1'],
        ['b', '2'],
        ['c', '100%'],
        ['f', ''],
        ['__proto__', 'x'],
        ['g', 'é'],
      ],
    );
  });

  it('never throws', () => {
    fc.assert(fc.property(anyText, (text) => void parseCookies(text)));
  });
});

describe('hostile length', () => {
  it('a header of 8 KiB of any one text is refused, or holds nothing', () => {
    for (const piece of [
      'a',
      ',',
      ';',
      '=',
      '"',
      '\\',
      ' ',
      '"\\',
      'a=',
      ';a',
      'for=a,',
      '[',
      ':',
      '%',
      'a/b;',
      ', ',
      '\t',
    ]) {
      const text = piece.repeat(8192 / piece.length);
      assert.equal(parseHost(text), undefined, piece);
      assert.equal(parseIpAddress(text), undefined, piece);
      assert.equal(parseForwarded(`for="${text}`), undefined, piece);
      assert.equal(parseMediaType(`a/b;a="${text}`), undefined, piece);
      assert.deepEqual(
        Object.keys(parseCookies(text)).filter((name) => name !== 'a'),
        [],
        piece,
      );
      assert.equal(negotiateType(`${text}, text/plain`, ['text/html']), undefined, piece);
    }
  });
});

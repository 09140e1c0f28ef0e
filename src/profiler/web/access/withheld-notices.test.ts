import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest } from '#core/http';
import { createAccessGuard } from './access.js';
import { WithheldNotices } from './withheld-notices.js';

const names = {
  hosts: 'TRUSTED_HOSTS',
  peers: 'DEBUG_ALLOWED_PEERS',
  origins: 'DEBUG_ALLOWED_ORIGINS',
  trustedProxies: 'TRUSTED_PROXIES',
};
const guard = createAccessGuard();

function createNotices(): { lines: string[]; ask: (headers?: readonly string[], address?: string) => void } {
  const lines: string[] = [];
  const notices = new WithheldNotices({ names, write: (line) => void lines.push(line) });
  return {
    lines,
    ask(headers = [], address = '127.0.0.1') {
      const rawHeaders = headers.includes('Host') ? headers : ['Host', 'localhost:8000', ...headers];
      const request = new HttpRequest({
        method: 'GET',
        target: '/page?token=1',
        rawHeaders,
        httpVersion: '1.1',
        peer: { address, port: 50_000, encrypted: false },
      });
      notices.note({ request, path: () => request.rawPath, access: guard(request), token: '4f09c2' });
    },
  };
}

describe('notices about withheld debug output', () => {
  it('name the request, the reason, and the setting; nothing if the output was shown', () => {
    for (const [headers, address, reason, fix] of [
      [[], '10.0.0.8', /its peer is not this machine/, /set DEBUG_ALLOWED_PEERS=10\.0\.0\.8\./],
      [['Host', 'shop.test:80'], '127.0.0.1', /its Host is not allowed/, /set TRUSTED_HOSTS=shop\.test\./],
      [
        ['Origin', 'http://localhost:5173'],
        '127.0.0.1',
        /its Origin is a different one/,
        /set DEBUG_ALLOWED_ORIGINS=http:\/\/localhost:5173\./,
      ],
      [['Sec-Fetch-Site', 'cross-site'], '127.0.0.1', /another site/, /Open its address in a tab/],
      [
        ['X-Forwarded-For', '::1'],
        '127.0.0.1',
        /forwarded \(x-forwarded-for\)/,
        /TRUSTED_PROXIES=127\.0\.0\.1/,
      ],
    ] as const) {
      const { lines, ask } = createNotices();
      ask();
      assert.deepEqual(lines, []);
      ask(headers, address);
      const [line = ''] = lines;
      assert.match(line, /^Debug output was withheld from GET \/page: /);
      assert.match(line, reason);
      assert.match(line, fix);
      assert.match(line, / Its record is 4f09c2\.$/);
    }
  });

  it('appear once a minute per reason, whatever headers clients send', (test) => {
    const now = test.mock.method(performance, 'now', () => 0);
    const { lines, ask } = createNotices();
    for (let count = 0; count < 5; count++) ask([`X-Forwarded-${count}`, '1']);
    ask(['Sec-Fetch-Site', 'cross-site']);
    assert.equal(lines.length, 2);
    now.mock.mockImplementation(() => 59_999);
    ask(['Sec-Fetch-Site', 'cross-site']);
    assert.equal(lines.length, 2);
    now.mock.mockImplementation(() => 60_000);
    ask(['Sec-Fetch-Site', 'cross-site']);
    assert.equal(lines.length, 3);
  });

  it('contain no malformed client value', () => {
    const { lines, ask } = createNotices();
    ask(['Host', 'a\u001b[31mb']);
    ask(['Origin', 'javascript:alert(1)']);
    assert.equal(lines.length, 2);
    assert.doesNotMatch(lines.join('\n'), /\[31m|javascript/);
  });
});

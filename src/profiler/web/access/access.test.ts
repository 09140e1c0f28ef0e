import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest } from '#core/http';
import { createAccessGuard } from './access.js';

interface Cell {
  readonly peer?: string;
  readonly host?: string;
  readonly headers?: readonly string[];
  readonly trusted?: boolean;
  readonly httpVersion?: string;
  readonly method?: string;
}

function request({
  peer = '127.0.0.1',
  host = 'localhost:8000',
  headers = [],
  trusted = false,
  httpVersion = '1.1',
  method = 'GET',
}: Cell): HttpRequest {
  return new HttpRequest(
    {
      method,
      target: '/_profiler/',
      rawHeaders: ['Host', host, ...headers],
      httpVersion,
      peer: { address: peer, port: 50_000, encrypted: false },
    },
    { trust: { isTrustedProxy: () => trusted, isAllowedHost: () => true, namesHosts: true } },
  );
}

const guard = createAccessGuard({ hosts: ['app.test'], peers: ['10.0.0.7'] });
const allows = (cell: Cell): boolean => guard(request(cell)).allowed;

describe('a request without a Host', () => {
  it('is allowed if configured, and from this machine only', () => {
    const hostless = createAccessGuard({ hostless: true });
    for (const [cell, isAllowed] of [
      [{ host: '' }, true],
      [{ host: 'a b' }, true],
      [{ host: '', peer: '10.0.0.8' }, false],
      [{ host: 'evil.example' }, false],
    ] as const) {
      assert.equal(hostless(request(cell)).allowed, isAllowed, JSON.stringify(cell));
      assert.equal(allows(cell), false);
    }
  });
});

const peers: readonly (readonly [string, boolean])[] = [
  ['127.0.0.1', true],
  ['127.8.9.1', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.7', true],
  ['::ffff:10.0.0.7', true],
  ['10.0.0.8', false],
  ['192.168.1.4', false],
  ['fe80::1', false],
  ['', false],
];
const hosts: readonly (readonly [string, boolean])[] = [
  ['localhost', true],
  ['localhost:8000', true],
  ['LOCALHOST', true],
  ['shop.localhost', true],
  ['a.b.localhost:1', true],
  ['127.0.0.1:8000', true],
  ['[::1]:8000', true],
  ['app.test', true],
  ['evil.example', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.nip.io', false],
  ['0.0.0.0:8000', false],
  ['127.0.0.2', true],
  ['127.1', false],
  ['2130706433', false],
  ['notlocalhost', false],
  ['.localhost', false],
  ['evil.com@localhost', false],
  ['localhost/..', false],
  ['', false],
];
const sites: readonly (readonly [readonly string[], boolean])[] = [
  [[], true],
  [['Sec-Fetch-Site', 'none'], true],
  [['Sec-Fetch-Site', 'same-origin'], true],
  [['Sec-Fetch-Site', 'same-site', 'Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'document'], true],
  [['Sec-Fetch-Site', 'same-site', 'Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'iframe'], false],
  [['Sec-Fetch-Site', 'same-site', 'Sec-Fetch-Mode', 'no-cors', 'Sec-Fetch-Dest', 'script'], false],
  [['Sec-Fetch-Site', 'cross-site', 'Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'document'], true],
  [['Sec-Fetch-Site', 'cross-site', 'Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'iframe'], false],
  [['Sec-Fetch-Site', 'cross-site'], false],
  [['Sec-Fetch-Site', 'CROSS-SITE'], false],
  [['Sec-Fetch-Site', 'none', 'Sec-Fetch-Site', 'cross-site'], false],
];
const forwarding: readonly (readonly [readonly string[], boolean])[] = [
  [[], true],
  [['X-Forwarded-For', '127.0.0.1'], false],
  [['x-forwarded-host', 'localhost'], false],
  [['Forwarded', 'for=127.0.0.1'], false],
  [['X-Real-IP', '127.0.0.1'], false],
  [['CF-Connecting-IP', '::1'], false],
];

describe('access guard', () => {
  it('every combination of peer × Host × Sec-Fetch-Site × forwarding is allowed only if each of the four is', () => {
    const cells = peers.flatMap(([peer, peerOk]) =>
      hosts.flatMap(([host, hostOk]) =>
        sites.flatMap(([site, siteOk]) =>
          forwarding.map(([forward, forwardOk]) => ({
            cell: { peer, host, headers: [...site, ...forward] },
            expected: peerOk && hostOk && siteOk && forwardOk,
          })),
        ),
      ),
    );
    for (const { cell, expected } of cells) assert.equal(allows(cell), expected, JSON.stringify(cell));
    const open = cells.filter(({ expected }) => expected).length;
    assert.equal(open, 6 * 9 * 5);
  });

  it("an Origin must be the page's own; null is foreign", () => {
    assert.ok(allows({ headers: ['Origin', 'http://localhost:8000'] }));
    for (const origin of [
      'null',
      'http://localhost:3000',
      'https://localhost:8000',
      'http://evil.example',
      '',
      '%%',
    ])
      assert.ok(!allows({ headers: ['Origin', origin] }), origin);
  });

  it('forwarding counts from a trusted proxy, and the client must still be this machine', () => {
    assert.ok(
      allows({ trusted: true, headers: ['X-Forwarded-For', '127.0.0.1', 'X-Forwarded-Proto', 'http'] }),
    );
    assert.ok(allows({ trusted: true, headers: ['Forwarded', 'for="[::1]";proto=http', 'Via', '1.1 a'] }));
    assert.ok(allows({ trusted: true }));
    assert.ok(!allows({ peer: '10.9.9.9', trusted: true }));
  });

  it('a trusted proxy that does not name the client gives no access, since it would be taken for the client', () => {
    const sets: readonly (readonly string[])[] = [
      ['X-Real-IP', '203.0.113.9'],
      ['X-Real-IP', '127.0.0.1'],
      ['X-Forwarded-Proto', 'http'],
      ['X-Forwarded-Host', 'localhost'],
      ['X-Forwarded-Port', '8000'],
      ['CF-Connecting-IP', '203.0.113.9'],
      ['Forwarded', 'for=unknown'],
      ['Forwarded', 'for=_hidden'],
      ['Forwarded', 'proto=http'],
      ['Forwarded', 'for=unknown, for=127.0.0.1'],
      ['Forwarded', ''],
      ['Via', '1.1 proxy'],
      ['X-Forwarded-For', 'unknown'],
      ['X-Forwarded-For', ''],
      ['X-Forwarded-For', '203.0.113.9'],
      ['X-Forwarded-For', '203.0.113.9, 127.0.0.1', 'Forwarded', 'for=127.0.0.1'],
    ];
    for (const headers of sets) assert.ok(!allows({ trusted: true, headers }), headers.join(' '));
  });

  it('every proxy header is a sign of an undeclared proxy', () => {
    const names = `Via CDN-Loop Forwarded X-Forwarded X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Forwarded-Uri X-Forwarded-User
      X-Forwarded-Method X-Forwarded-Prefix X-Forwarded-SSL X-Forwarded-Client-Cert X-Forward-For X-Original-Forwarded-For X-Original-Uri
      X-Original-Host X-Original-Method X-Rewrite-Url X-Real-IP X-Real-Port X-Client-IP Client-IP True-Client-IP X-Cluster-Client-IP
      X-ProxyUser-IP X-Remote-IP X-Remote-Addr X-Remote-User X-Originating-IP X-Scheme X-Url-Scheme Front-End-Https WL-Proxy-Client-IP
      Proxy-Client-IP X-Request-Start X-Queue-Start X-SSL-Client-Cert SSL-Client-Verify X-Client-Cert X-Nginx-Proxy X-Envoy-Attempt-Count
      X-Envoy-Expected-Rq-Timeout-Ms X-Envoy-External-Address X-Varnish X-HAProxy-Server-State X-Kong-Request-Id X-Consumer-Username
      X-Auth-Request-User X-Pomerium-Jwt-Assertion CF-Connecting-IP CF-Ray CF-IPCountry CF-Worker Fastly-Client-IP Fastly-FF Fly-Client-IP
      Fly-Region CloudFront-Viewer-Address Akamai-Origin-Hop Ali-Cdn-Real-Ip Incap-Client-IP DO-Connecting-IP Tailscale-User-Login
      X-Amzn-Trace-Id X-Amz-Cf-Id X-Azure-ClientIP X-Azure-FDID X-ARR-LOG-ID X-AppEngine-User-IP X-Cloud-Trace-Context X-Goog-IAP-JWT-Assertion
      X-Vercel-Forwarded-For X-Nf-Client-Connection-Ip X-Sucuri-ClientIP X-Heroku-Queue-Depth X-MS-Client-Principal Disguised-Host
      X-Lookback-Forwarded`;
    for (const name of names.split(/\s+/)) assert.ok(!allows({ headers: [name, '127.0.0.1'] }), name);
  });

  it("no browser or command-line client header is mistaken for a proxy's", () => {
    const names = `Accept Accept-Encoding Accept-Language Authorization Cache-Control Connection Content-Length Content-Type Cookie DNT
      If-Modified-Since If-None-Match Keep-Alive Pragma Priority Range Sec-CH-UA Sec-Fetch-Dest Sec-GPC Sec-WebSocket-Key TE
      Upgrade-Insecure-Requests User-Agent X-CSRF-Token X-HTTP-Method-Override X-Request-Id X-Requested-With X-Purpose traceparent
      tracestate baggage b3 X-B3-TraceId X-Api-Key X-GitHub-Event X-Lookback-Sample X-Hub-Signature X-Amz-Date X-Profile HX-Request Next-Action RSC`;
    for (const name of names.split(/\s+/)) assert.ok(allows({ headers: [name, '1'] }), name);
  });

  it('HTTP/1.0 is the sign of a proxy such as nginx with only proxy_pass', () => {
    assert.ok(!allows({ httpVersion: '1.0' }));
    for (const httpVersion of ['1.1', '2.0']) assert.ok(allows({ httpVersion }), httpVersion);
  });

  it('a link on any page opens in a tab, including its reload; by GET and HEAD only', () => {
    const visit = ['Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'document'];
    for (const site of ['none', 'same-origin', 'same-site', 'cross-site'])
      for (const [method, isAllowed] of [
        ['GET', true],
        ['HEAD', true],
        ['POST', site === 'none' || site === 'same-origin'],
      ] as const) {
        const headers = ['Sec-Fetch-Site', site, ...visit];
        assert.equal(allows({ method, headers }), isAllowed, `${method} ${site}`);
        if (site === 'same-origin') continue;
        const linked = [...headers, 'Referer', 'https://mail.example.com/'];
        assert.equal(allows({ method, headers: linked }), isAllowed, `${method} ${site} with a Referer`);
      }
  });

  it('no frame, worker, image, script or fetch from another site is a visit, nor a request with a repeated header', () => {
    const site = ['Sec-Fetch-Site', 'cross-site'];
    for (const [mode, dest] of [
      ['navigate', 'iframe'],
      ['navigate', 'frame'],
      ['navigate', 'embed'],
      ['navigate', 'object'],
      ['navigate', 'fencedframe'],
      ['nested-navigate', 'document'],
      ['navigate', ''],
      ['navigate', 'document, iframe'],
      ['no-cors', 'document'],
      ['no-cors', 'image'],
      ['no-cors', 'script'],
      ['cors', 'empty'],
      ['same-origin', 'empty'],
      ['websocket', 'websocket'],
      ['websocket', 'empty'],
    ] as const) {
      const headers = [...site, 'Sec-Fetch-Mode', mode, 'Sec-Fetch-Dest', dest];
      assert.ok(!allows({ headers }), `${mode} ${dest}`);
    }
    const visit = [...site, 'Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'document'];
    assert.ok(!allows({ headers: [...visit, 'Sec-Fetch-Dest', 'iframe'] }));
    assert.ok(!allows({ headers: visit, peer: '10.0.0.8' }));
    assert.ok(!allows({ headers: visit, host: 'evil.example' }));
  });

  it('a Referer from another host counts if the browser considers the page its own', () => {
    for (const [referer, isAllowed] of [
      ['http://localhost:3000/page', true],
      ['http://app.test/', true],
      ['', true],
      ['https://journal.example.com/_profiler/', false],
      ['http://localhost.evil.example/', false],
      ['https://[2001:db8::1]/', false],
      ['https://localhost@evil.example/', false],
      ['http://[::1]:3000/', true],
      // No browser sends these: they prove nothing about a page.
      ['javascript:alert(1)', true],
      ['%%', true],
    ] as const) {
      const own = ['Sec-Fetch-Site', 'same-origin'];
      const visit = [...own, 'Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'document'];
      for (const headers of [own, visit])
        assert.equal(allows({ headers: [...headers, 'Referer', referer] }), isAllowed, referer);
      // Typed, from a bookmark, or by a tool: the Referer is any page with a link.
      assert.ok(allows({ headers: ['Referer', referer] }), referer);
      assert.ok(allows({ headers: ['Sec-Fetch-Site', 'none', 'Referer', referer] }), referer);
    }
  });

  it('junk in Host and Origin is refused without throwing', () => {
    for (const junk of [
      '\u00ff\u0001',
      '[',
      '[::1',
      ':',
      'http://localhost',
      'a'.repeat(9_000),
      '::1',
      '[::1%25lo]',
    ])
      for (const name of ['Host', 'Origin'])
        assert.equal(
          guard(request(name === 'Host' ? { host: junk } : { headers: ['Origin', junk] })).allowed,
          false,
          junk.slice(0, 20),
        );
  });

  it('the reason is for the log and contains nothing sent by the client', () => {
    const decision = guard(request({ host: '<script>evil' }));
    assert.ok(!decision.allowed && !decision.reason.includes('script'));
  });

  it('a refusal names the setting that would allow the request', () => {
    for (const [cell, setting] of [
      [{ peer: '10.0.0.8' }, 'peers'],
      [{ host: 'shop.example' }, 'hosts'],
      [{ httpVersion: '1.0' }, 'trustedProxies'],
      [{ headers: ['Via', '1.1 a'] }, 'trustedProxies'],
      [{ trusted: true, headers: ['Via', '1.1 a'] }, 'proxy'],
      [{ headers: ['Sec-Fetch-Site', 'cross-site'] }, 'origins'],
      [{ headers: ['Origin', 'http://localhost:5173'] }, 'origins'],
      [{ headers: ['Sec-Fetch-Site', 'same-origin', 'Referer', 'https://a.example/'] }, 'trustedProxies'],
    ] as const) {
      const decision = guard(request(cell));
      assert.equal(decision.allowed ? '' : decision.setting, setting, JSON.stringify(cell));
    }
  });
});

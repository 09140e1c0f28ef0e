import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSecurity, type SecurityOptions } from '../create-security.js';
import type { AccessRule } from './access-rules.js';

type Conditions = Omit<AccessRule, 'allow'>;

/** The error message that refuses the rules; undefined if they are accepted. */
function refusalOf(options: SecurityOptions): string | undefined {
  try {
    createSecurity({ firewalls: [{ name: 'main' }], ...options });
    return undefined;
  } catch (error) {
    assert.equal((error as { code?: string }).code, 'SECURITY_NEVER_APPLIES');
    return (error as Error).message;
  }
}

const isDead = (...conditions: Conditions[]): boolean => {
  const rules = conditions.map((one): AccessRule => ({ ...one, allow: 'ROLE_ADMIN' }));
  return refusalOf({ accessControl: rules }) !== undefined;
};

const onHolidays = (): boolean => true;

describe('an access rule that can never apply', () => {
  it('is an error at startup that names both rules', () => {
    assert.equal(
      refusalOf({
        accessControl: [
          { path: '/', allow: 'PUBLIC_ACCESS' },
          { path: '/admin', allow: 'ROLE_ADMIN' },
        ],
      }),
      'The access rule 2 (path /admin) can never apply: the rule 1 (path /), which comes first, decides all of its requests.',
    );
  });

  it('is found if an earlier rule matches all of its requests', () => {
    for (const [earlier, later] of [
      [{}, { path: '/admin' }],
      [{}, {}],
      [{ path: '/' }, {}],
      [{ path: '/', scheme: 'https' }, { path: '/admin' }],
      [{ path: '/admin' }, { path: '/admin' }],
      [{ path: '/admin/' }, { path: '/admin' }],
      [{ path: '/admin' }, { path: '/admin/users' }],
      [{ path: ['/x', '/'] }, { path: '/admin' }],
      [{ path: '/admin' }, { path: ['/admin/a', '/admin/b'] }],
      [{ path: /^\// }, { path: '/admin' }],
      [{ path: /^/ }, { path: /x$/ }],
      [{ path: /.*/ }, { path: '/admin' }],
      [{ path: /^\/admin/ }, { path: '/admin' }],
      [{ path: /^\/adm/ }, { path: '/admin/users' }],
      [{ path: /^\/admin(?:\/|$)/ }, { path: '/admin' }],
      [{ path: '/admin' }, { path: /^\/admin\/users/ }],
      [{ path: '/admin' }, { path: /^\/admin(\/|$)/ }],
      [{ path: '/admin' }, { path: /^\/admin$/ }],
      [{ path: /^\/(?:en|fr)\/admin/ }, { path: /^\/(?:en|fr)\/admin/ }],
      [{ path: '/admin' }, { path: '/admin', methods: ['POST'] }],
      [
        { path: '/', methods: ['GET', 'POST'] },
        { path: '/admin', methods: ['get'] },
      ],
      [
        { path: '/', methods: ['GET'] },
        { path: '/admin', methods: ['HEAD'] },
      ],
      [{ path: '/' }, { path: '/admin', ips: ['10.0.0.1'] }],
      [{ path: '/' }, { path: '/admin', host: 'a.test', when: onHolidays }],
      [{ host: 'A.test' }, { path: '/admin', host: 'a.test' }],
      [{ when: onHolidays }, { path: '/admin', when: onHolidays }],
      [{ route: ['a', 'b'] }, { route: 'b', path: '/admin' }],
      [{ path: /.+/i }, { path: '/admin' }],
      [{ path: /^\/ADMIN/i }, { path: '/admin/users' }],
      [{ path: /^\/ADMIN/i }, { path: /^\/admin\/users/ }],
      [{ path: /^\/(?:admin|books)/ }, { path: '/admin' }],
      [{ path: /^\/(?:en|fr)\/(admin|books)(?:\/|$)/ }, { path: ['/en/admin', '/fr/books/x'] }],
      [{ path: ['/en', '/fr'] }, { path: /^\/(?:en|fr)\/admin/ }],
      [{ path: '/admin' }, { path: /^\/admin\/a|^\/admin\/b/ }],
      [{ host: /.*/ }, { path: '/admin' }],
      [{ host: /\.test$/ }, { path: '/admin', host: 'A.Test' }],
      [{ ips: ['10.0.0.0/8', '::1'] }, { path: '/admin', ips: ['10.1.0.0/16', '::1'] }],
    ] satisfies [Conditions, Conditions][])
      assert.equal(isDead(earlier, later), true, JSON.stringify([String(earlier.path), String(later.path)]));
  });

  it('is found if several earlier rules together match its paths and methods', () => {
    assert.equal(isDead({ path: '/a' }, { path: '/b' }, { path: ['/a/x', '/b'] }), true);
    assert.equal(isDead({ path: '/a' }, { path: '/b' }, { path: ['/a/x', '/c'] }), false);
    const [reading, writing] = [{ methods: ['GET'] }, { methods: ['POST', 'PUT'] }];
    assert.equal(isDead(reading, writing, { path: '/a', methods: ['GET', 'POST'] }), true);
    assert.equal(isDead(reading, writing, { path: '/a', methods: ['GET', 'DELETE'] }), false);
    assert.equal(isDead(reading, writing, { path: '/a' }), false);
  });

  it('is not reported for a rule that decides for some requests', () => {
    for (const [earlier, later] of [
      [{ path: '/admin' }, { path: '/' }],
      [{ path: '/admin' }, { path: '/administrator' }],
      [{ path: '/admin/login' }, { path: '/admin' }],
      [{ path: /^\/admin$/ }, { path: '/admin' }],
      [{ path: /^\/$/ }, { path: '/admin' }],
      [{ path: /^\/admin?/ }, { path: '/x' }],
      [{ path: /^\/admins?/ }, { path: '/admin' }],
      [{ path: /^\/admin\/|^\/x/ }, { path: '/admin' }],
      [{ path: /^\/admin(?:\/|$)/ }, { path: /^\/admin/ }],
      [{ path: '/admin' }, { path: /^\/admin/ }],
      [{ path: '/admin' }, { path: /^\/admin\/?x|^\/y/ }],
      [{ path: '/admin/a' }, { path: /^\/admin\/ab?/ }],
      [{ path: /^\/ADMIN/i }, { path: /^\/x/ }],
      [{ path: /^\/ADMIN/ }, { path: '/admin' }],
      [{ path: '/admin' }, { path: /^\/admin\/x/i }],
      [{ path: /^\/(?:admin|books)/ }, { path: ['/admin', '/x'] }],
      [{ path: /^\/(?:admin|books)?/ }, { path: '/x' }],
      [{ path: /^\/(?!admin|books)/ }, { path: '/x' }],
      [{ path: '/en' }, { path: /^\/(?:en|fr)\/admin/ }],
      [{ path: /^\/[ab|c]/ }, { path: '/c' }],
      [{ host: /^b/ }, { path: '/admin', host: 'a.test' }],
      [{ host: /\.test$/ }, { path: '/admin' }],
      [{ ips: ['10.1.0.0/16'] }, { path: '/admin', ips: ['10.0.0.0/8'] }],
      [{ path: '/', methods: ['GET'] }, { path: '/admin' }],
      [
        { path: '/', methods: ['HEAD'] },
        { path: '/admin', methods: ['GET'] },
      ],
      [{ path: '/', ips: ['10.0.0.1'] }, { path: '/admin' }],
      [{ path: '/', host: 'a.test' }, { path: '/admin' }],
      [
        { path: '/', when: () => true },
        { path: '/admin', when: () => true },
      ],
      [{ route: 'a' }, { route: ['a', 'b'] }],
      [{ route: 'a' }, { path: '/admin' }],
    ] satisfies [Conditions, Conditions][])
      assert.equal(isDead(earlier, later), false, JSON.stringify([String(earlier.path), String(later.path)]));
  });

  it('is found if no firewall checks rules there', () => {
    const accessControl = [{ path: '/admin', allow: 'ROLE_ADMIN' }];
    const open = { name: 'open', path: '/admin', security: false };
    assert.match(
      refusalOf({ accessControl, firewalls: [open, { name: 'main' }] }) ?? '',
      /"open".*security: false/,
    );
    assert.match(
      refusalOf({ accessControl, firewalls: [{ name: 'api', path: '/api' }] }) ?? '',
      /no firewall covers/,
    );
    assert.equal(
      refusalOf({ accessControl, firewalls: [{ name: 'admin', path: '/admin/users' }] }),
      undefined,
    );
    assert.equal(
      refusalOf({ accessControl, firewalls: [{ ...open, path: '/admin/css' }, { name: 'main' }] }),
      undefined,
    );
    assert.equal(refusalOf({ accessControl, firewalls: [{ name: 'main' }] }), undefined);
  });

  it('is also an error for firewalls: one after a firewall that takes all of its requests', () => {
    const api = { name: 'api', path: '/api', stateless: true };
    assert.match(
      refusalOf({ firewalls: [{ name: 'main' }, api] }) ?? '',
      /firewall "api" can never apply: the firewall "main"/,
    );
    assert.equal(refusalOf({ firewalls: [api, { name: 'main' }] }), undefined);
    assert.equal(refusalOf({ firewalls: [{ name: 'main', host: 'a.test' }, api] }), undefined);
  });
});

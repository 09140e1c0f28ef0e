import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedactor } from '#core/dump';
import { HttpRequest, type RequestAuthentication, requestAuthentication } from '#core/http';
import { type Message, published } from '../../../../test/profiler/shown-sections.js';
import type { Recording } from '../../model/recording.js';
import { createSecurityCollector } from './collect.js';
import { securityDefinition, type SecuritySection } from './section.js';

const found: RequestAuthentication = {
  firewall: 'main',
  isSecured: true,
  isStateless: false,
  provider: 'users',
  entryPoint: undefined,
  authenticators: ['form_login'],
  attempts: [],
  token: undefined,
};

/** Returns the data collected for a firewall result. */
function collected(authentication: RequestAuthentication | undefined): unknown {
  const collector = createSecurityCollector();
  try {
    const request = new HttpRequest({
      method: 'GET',
      target: '/',
      rawHeaders: ['Host', 'a.test'],
      httpVersion: '1.1',
      peer: { address: undefined, port: 0, encrypted: false },
    });
    if (authentication !== undefined) request.scope.set(requestAuthentication, { authentication });
    return collector.collect({ request } as Recording); // only these fields are read
  } finally {
    collector.close?.();
  }
}

async function sectionOf(messages: readonly Message[]): Promise<SecuritySection> {
  const record = await published(messages);
  return record.sections['security'] as SecuritySection; // the type that the collector stores
}

describe('the firewall in a record', () => {
  it("has its authenticators' attempts, and the user with any impersonator", () => {
    const section = collected({
      ...found,
      entryPoint: 'form_login',
      attempts: [
        {
          authenticator: 'form_login',
          status: 'failure',
          detail: 'wrong',
          milliseconds: 3,
          badges: [
            { name: 'csrf token', isResolved: true },
            { name: 'password', isResolved: false },
          ],
        },
      ],
      token: {
        identifier: 'ada',
        roles: ['a'],
        authenticator: 'form_login',
        strength: 'full',
        impersonator: 'bob',
      },
    });
    assert.deepEqual(section, {
      firewall: {
        name: 'main',
        isSecured: true,
        isStateless: false,
        provider: 'users',
        entryPoint: 'form_login',
        authenticators: ['form_login'],
        attempts: [
          {
            authenticator: 'form_login',
            status: 'failure',
            detail: 'wrong',
            durationMs: 3,
            badges: ['csrf token: met', 'password: not met'],
          },
        ],
      },
      user: {
        identifier: 'ada',
        roles: ['a'],
        authenticator: 'form_login',
        strength: 'full',
        impersonator: 'bob',
      },
      decisions: [],
      uses: [],
      more: 0,
    });
  });

  it('has no user for visitors, nor for a user without a name', () => {
    const user = { identifier: '', roles: [], authenticator: 'x', strength: 'full', impersonator: undefined };
    assert.equal((collected({ ...found, token: user }) as SecuritySection).user, null);
    const ada = collected({ ...found, token: { ...user, identifier: 'ada' } }) as SecuritySection;
    assert.equal(ada.user?.impersonator, '');
    const visitor = securityDefinition.clean?.(collected(found), createRedactor()) as SecuritySection; // its result type
    assert.deepEqual(
      [visitor.user, visitor.firewall?.name, visitor.firewall?.entryPoint],
      [null, 'main', ''],
    );
  });

  it('is shared by visitors without attempts, separately for each firewall', () => {
    const first = collected(found);
    assert.deepEqual(
      securityDefinition.clean?.(collected(found), createRedactor()),
      securityDefinition.clean?.(first, createRedactor()),
    );
    const other = securityDefinition.clean?.(
      collected({ ...found, firewall: 'api' }),
      createRedactor(),
    ) as SecuritySection; // its result type
    assert.equal(other.firewall?.name, 'api');
    assert.equal(collected(undefined), undefined);
  });
});

describe('decisions in a record', () => {
  const decision = (changes: object = {}): Message => [
    'security:decision',
    {
      granted: true,
      attribute: 'edit',
      subject: 'Article',
      strategy: 'affirmative',
      votes: [{ voter: 'owner', verdict: 'grant', reason: 'is the author' }],
      ...changes,
    },
  ];

  it('have their votes, and grant only what was granted', async () => {
    const { decisions, firewall, user, more } = await sectionOf([
      decision(),
      decision({ granted: 1, votes: 'none' }),
    ]);
    assert.deepEqual(decisions, [
      {
        granted: true,
        attribute: 'edit',
        subject: 'Article',
        strategy: 'affirmative',
        votes: [{ voter: 'owner', verdict: 'grant', reason: 'is the author' }],
      },
      { granted: false, attribute: 'edit', subject: 'Article', strategy: 'affirmative', votes: [] },
    ]);
    assert.deepEqual([firewall, user, more], [null, null, 0]);
  });

  it('are limited to a hundred and 100,000 characters; the others are counted', async () => {
    const many = await sectionOf(Array.from({ length: 103 }, () => decision()));
    assert.deepEqual([many.decisions.length, many.more], [100, 3]);
    const votes = Array.from({ length: 50 }, () => ({ reason: 'r'.repeat(500) }));
    const large = await sectionOf(Array.from({ length: 6 }, () => decision({ votes })));
    assert.deepEqual([large.decisions.length, large.more], [4, 2]);
  });
});

describe('session uses in a record', () => {
  const use = (changes: object = {}): Message => [
    'security:session',
    {
      operation: 'read',
      key: 'cart',
      location: { name: 'show', file: '/srv/cart.ts', line: 3, column: 1 },
      ...changes,
    },
  ];

  it('are counted by operation, key and location', async () => {
    const { uses, more } = await sectionOf([
      use(),
      use(),
      use({ operation: 'write' }),
      use({ key: 'user' }),
      use({ location: { name: 'show', file: '/srv/cart.ts', line: 4, column: 1 } }),
      use({ location: { name: 'show', file: '/srv/cart.ts', line: 3, column: 2 } }),
      use({ location: undefined }),
    ]);
    assert.deepEqual(
      uses.map(({ operation, key, file, line, column, count }) => [
        operation,
        key,
        file,
        line,
        column,
        count,
      ]),
      [
        ['read', 'cart', '/srv/cart.ts', 3, 1, 2],
        ['write', 'cart', '/srv/cart.ts', 3, 1, 1],
        ['read', 'user', '/srv/cart.ts', 3, 1, 1],
        ['read', 'cart', '/srv/cart.ts', 4, 1, 1],
        ['read', 'cart', '/srv/cart.ts', 3, 2, 1],
        ['read', 'cart', '', 0, 0, 1],
      ],
    );
    assert.deepEqual([uses[0]?.name, more], ['show', 0]);
  });

  it('are limited to fifty; the others are counted', async () => {
    const { uses, more } = await sectionOf(
      Array.from({ length: 52 }, (_, at) => use({ key: `k${at}` })).concat([use({ key: 'k0' })]),
    );
    assert.deepEqual([uses.length, more, uses[0]?.count], [50, 2, 2]);
  });
});

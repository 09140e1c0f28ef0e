import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { HttpRequest, HttpResponse, type RequestAuthentication, requestAuthentication } from '#core/http';
import { createProfiler, type Profiler, requestRecording } from '#profiler';
import { runInScope } from '#core/scope';

const peer = { address: '127.0.0.1', port: 1, encrypted: false };
const decision = {
  granted: false,
  attribute: 'edit',
  subject: 'Article',
  strategy: 'affirmative',
  votes: [{ voter: 'owner', verdict: 'deny', reason: 'not the author' }],
};

const authentication: RequestAuthentication = {
  firewall: 'main',
  isSecured: true,
  isStateless: false,
  provider: 'memory',
  entryPoint: undefined,
  authenticators: ['form'],
  attempts: [
    {
      authenticator: 'form',
      status: 'success',
      detail: '',
      milliseconds: 2,
      badges: [{ name: 'csrf', isResolved: true }],
    },
  ],
  token: {
    identifier: 'ada',
    roles: ['ROLE_USER'],
    authenticator: 'form',
    strength: 'full',
    impersonator: undefined,
  },
};

interface Section {
  readonly firewall: { readonly name: string } | null;
  readonly user: { readonly identifier: string } | null;
  readonly decisions: readonly unknown[];
}

describe('collectors that subscribe to channels', () => {
  let profiler: Profiler;
  before(() => {
    profiler = createProfiler({ store: 'memory:' });
  });
  after(async () => {
    await profiler.close();
  });

  /** Returns the sections recorded for a request during which these messages are published. */
  async function record(
    ...messages: readonly (readonly [name: string, message: unknown])[]
  ): Promise<Readonly<Record<string, unknown>>> {
    return recordOf(undefined, ...messages);
  }

  async function recordOf(
    authentication: RequestAuthentication | undefined,
    ...messages: readonly (readonly [name: string, message: unknown])[]
  ): Promise<Readonly<Record<string, unknown>>> {
    const request = new HttpRequest({ method: 'GET', target: '/', rawHeaders: [], httpVersion: '1.1', peer });
    if (authentication !== undefined) request.scope.set(requestAuthentication, { authentication });
    const recording = profiler.begin(request);
    request.scope.set(requestRecording, recording);
    runInScope(request.scope, () => {
      for (const [name, message] of messages) channel(`lookback:${name}`).publish(message);
    });
    const sent = { status: 200, headers: [], bodyBytes: 0, completed: true };
    profiler.finish(recording, new HttpResponse(''), sent);
    const found = await profiler.find(recording.token);
    assert.ok(found.kind === 'found');
    return found.record.sections;
  }

  it('security: firewall, user, decisions and session uses', async () => {
    const use = {
      operation: 'read',
      key: 'cart',
      location: { name: 'showCart', file: '/app/cart.js', line: 3, column: 1 },
    };
    const { security } = await recordOf(
      authentication,
      ['security:decision', decision],
      ['security:session', use],
      ['security:session', use],
    );
    assert.deepEqual(security, {
      firewall: {
        name: 'main',
        isSecured: true,
        isStateless: false,
        provider: 'memory',
        entryPoint: '',
        authenticators: ['form'],
        attempts: [
          { authenticator: 'form', status: 'success', detail: '', durationMs: 2, badges: ['csrf: met'] },
        ],
      },
      user: {
        identifier: 'ada',
        roles: ['ROLE_USER'],
        authenticator: 'form',
        strength: 'full',
        impersonator: '',
      },
      decisions: [decision],
      uses: [
        {
          operation: 'read',
          key: 'cart',
          count: 2,
          name: 'showCart',
          file: '/app/cart.js',
          line: 3,
          column: 1,
        },
      ],
      more: 0,
    });
    assert.equal('security' in (await record()), false, 'other requests do not record it');
  });

  it('security: shared by all anonymous requests, and otherwise as published', async () => {
    const stranger = Object.freeze({ ...authentication, attempts: [], token: undefined });
    const sections = [
      await recordOf(stranger),
      await recordOf(authentication),
      await recordOf(stranger),
      await recordOf(stranger, ['security:decision', decision]),
    ].map(({ security }) => security as Section); // the type that the collector stores
    assert.deepEqual(sections[0], sections[2]);
    assert.deepEqual(
      sections.map(({ user, decisions, firewall }) => [user?.identifier, decisions.length, firewall?.name]),
      [
        [undefined, 0, 'main'],
        ['ada', 0, 'main'],
        [undefined, 0, 'main'],
        [undefined, 1, 'main'],
      ],
    );
  });

  it('translation: each message once, with the number of its uses', async () => {
    const missing = { key: 'cart.title', locale: 'de', used: undefined, state: 'missing' };
    const { translation } = await record(
      ['locale:message', missing],
      ['locale:message', missing],
      ['locale:message', { key: 'home', locale: 'de', used: 'en', state: 'fallback', text: 'Home' }],
    );
    assert.deepEqual(translation, {
      messages: [
        { key: 'cart.title', locale: 'de', used: '', state: 'missing', count: 2, text: '' },
        { key: 'home', locale: 'de', used: 'en', state: 'fallback', count: 1, text: 'Home' },
      ],
      more: 0,
    });
  });

  it('are limited and count omitted entries', async () => {
    const many = Array.from({ length: 130 }, () => ['security:decision', decision] as const);
    const { security } = await record(...many);
    const section = security as { decisions: unknown[]; more: number }; // the type that the collector stores
    assert.deepEqual([section.decisions.length, section.more], [100, 30]);
  });

  it('leave the request and its record intact, whatever is published', async () => {
    const names = ['security:decision', 'security:session', 'locale:message'];
    const hostile = new Proxy({}, { get: () => assert.fail('run'), ownKeys: () => assert.fail('run') });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.oneof(fc.anything(), fc.constant(hostile)),
        async (name, message) => {
          const fields = {
            token: message,
            attempts: message,
            votes: [message],
            stack: message,
            state: message,
          };
          const sections = await record([name, message], [name, fields]);
          assert.equal(typeof JSON.stringify(sections), 'string');
        },
      ),
    );
  });
});

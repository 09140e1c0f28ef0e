import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isCodedError } from '#core/coded-error';
import { isLoopbackHost } from '#core/http';
import { type Configuration, createDebugAccess, readConfiguration } from './configuration.js';

describe('readConfiguration', () => {
  it('C2: the defaults serve development at 127.0.0.1:8000', () => {
    const config = readConfiguration({});
    assert.deepEqual(
      [config.env, config.debug, config.host, config.port, config.profilerStore],
      ['dev', true, '127.0.0.1', 8000, 'sqlite:var/profiler.db'],
    );
  });

  it('C2: an unknown environment counts as production', () => {
    for (const name of ['production', 'prod', 'staging', 'DEV', 'develop']) {
      const config = readConfiguration({ APP_ENV: name });
      assert.deepEqual([config.env, config.debug, config.profilerStore], ['prod', false, 'off'], name);
    }
    assert.equal(readConfiguration({ NODE_ENV: 'production' }).debug, false);
    assert.equal(readConfiguration({ NODE_ENV: 'staging' }).debug, false);
    assert.equal(readConfiguration({ NODE_ENV: 'development' }).debug, true);
  });

  it('LOOKBACK turns the recorder on in production and off everywhere, whatever the store is', () => {
    const storeOf = (variables: Record<string, string>): string => readConfiguration(variables).profilerStore;
    assert.equal(storeOf({ APP_ENV: 'prod', LOOKBACK: 'on' }), 'sqlite:var/profiler.db');
    assert.equal(storeOf({ APP_ENV: 'prod', LOOKBACK: 'yes', PROFILER_STORE: 'memory:' }), 'memory:');
    assert.equal(storeOf({ LOOKBACK: 'off' }), 'off');
    assert.equal(storeOf({ LOOKBACK: 'off', PROFILER_STORE: 'memory:' }), 'off');
  });

  it('C2: an invalid value names the variable, its value and the allowed ones', () => {
    const cases: [Record<string, string>, RegExp][] = [
      [{ PORT: '80x' }, /^PORT is "80x"/],
      [{ PORT: '70000' }, /^PORT is "70000"/],
      [{ PORT: '-1' }, /^PORT is "-1"/],
      [{ APP_DEBUG: 'maybe' }, /^APP_DEBUG is "maybe"/],
      [{ HOST: 'a b' }, /^HOST is "a b"/],
      [{ PROFILER_STORE: 'mongodb:x' }, /^PROFILER_STORE is "mongodb:x"/],
      [{ TRUSTED_HOSTS: 'ok.example, no host' }, /^TRUSTED_HOSTS is "no host"/],
      [{ TRUSTED_PROXIES: '10.0.0.0/8;x' }, /^TRUSTED_PROXIES/],
      [{ TLS_CERT: '/c.pem' }, /^TLS_CERT is set but TLS_KEY is not/],
      [{ TLS_KEY: '/k.pem' }, /^TLS_KEY is set but TLS_CERT is not/],
      [{ PROFILER_MAX_RECORDS: '0' }, /^PROFILER_MAX_RECORDS is "0"/],
      [{ PROFILER_SAMPLE: '2' }, /^PROFILER_SAMPLE is "2"/],
      [{ PROFILER_SAMPLE: '5%' }, /^PROFILER_SAMPLE is "5%"/],
      [{ LOOKBACK_IDE: 'vscoed' }, /^LOOKBACK_IDE is "vscoed"/],
      [{ LOOKBACK_IDE: 'x://open?file=%p' }, /^LOOKBACK_IDE is "x:/],
      [{ LOOKBACK_TRACE: 'api.example.org' }, /^LOOKBACK_TRACE is "api.example.org"/],
      [{ LOOKBACK_TRACE: 'https://a.example, https://b.example/' }, /^LOOKBACK_TRACE is "https:/],
      [{ PROFILER_SAMPLE_SECRET: 'short' }, /^PROFILER_SAMPLE_SECRET is "\[redacted\]"/],
    ];
    for (const [variables, message] of cases) {
      assert.throws(
        () => readConfiguration(variables),
        (error) => {
          assert.ok(isCodedError(error) && error.fix !== undefined);
          assert.match(error.message, message);
          assert.doesNotMatch(error.message, /\n/);
          return true;
        },
      );
    }
  });

  it('accepts editors, their link templates, and trace origins as documented', () => {
    for (const editor of ['vscode', ' Zed ', 'x://open?file=%f&line=%l', 'idea&/app/>/home/ada/app/'])
      assert.equal(readConfiguration({ LOOKBACK_IDE: editor }).editor, editor.trim());
    for (const trace of ['off', 'all', 'https://api.example.org, http://10.0.0.1:8080'])
      assert.doesNotThrow(() => readConfiguration({ LOOKBACK_TRACE: trace }), trace);
  });

  it('accepts exactly the proxies, peers and hosts that the policies accept', () => {
    const good = ['10.0.0.0/8', '::1', 'fd00::/8', 'loopback', 'linklocal', 'private', '::ffff:10.0.0.1'];
    for (const name of ['TRUSTED_PROXIES', 'DEBUG_ALLOWED_PEERS']) {
      readConfiguration({ [name]: good.join(' , ') });
      for (const badValue of ['10.0.0.0/33', '10.0.0', '...', '::/129', 'example.org', 'fe80::1%a/64/2'])
        assert.throws(() => readConfiguration({ [name]: `::1,${badValue}` }), {
          code: 'CONFIG_BAD_VALUE',
          message: new RegExp(`^${name} is `),
        });
    }
    const hosts = ['example.org', '*.example.org', '127.0.0.1', '[::1]', '::1', 'localhost', '*'];
    assert.deepEqual(readConfiguration({ TRUSTED_HOSTS: hosts.join() }).trustedHosts, hosts);
    for (const badValue of ['example.org:80', '[:::]', '*.', 'a..b', 'http://a', 'a/b', '**.a'])
      assert.throws(
        () => readConfiguration({ TRUSTED_HOSTS: badValue }),
        { code: 'CONFIG_BAD_VALUE' },
        badValue,
      );
  });

  it('requires a second confirmation for debug on a public address', () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.4', 'example.org']) {
      assert.throws(() => readConfiguration({ HOST: host }), { code: 'CONFIG_PUBLIC_DEBUG' });
      assert.equal(readConfiguration({ HOST: host, APP_DEBUG_PUBLIC: 'yes' }).debug, true);
      assert.equal(readConfiguration({ HOST: host, APP_ENV: 'prod' }).debug, false);
    }
    for (const host of ['localhost', '::1', '127.0.0.5'])
      assert.equal(readConfiguration({ HOST: host }).debug, true);
  });
});

const names = [
  'APP_ENV',
  'NODE_ENV',
  'APP_DEBUG',
  'APP_DEBUG_PUBLIC',
  'HOST',
  'PORT',
  'TLS_CERT',
  'TLS_KEY',
  'TRUSTED_PROXIES',
  'TRUSTED_HOSTS',
  'DEBUG_ALLOWED_PEERS',
  'DEBUG_ALLOWED_ORIGINS',
  'ACCESS_LOG',
  'PROFILER_STORE',
  'PROFILER_SAMPLE',
  'PROFILER_SAMPLE_SECRET',
  'PROFILER_IGNORE',
  'PROFILER_MAX_RECORDS',
  'PROFILER_MAX_FAILURES',
  'PROFILER_MAX_AGE_DAYS',
  'PROFILER_MAX_BYTES',
  'LOOKBACK_IDE',
];

const value = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    '',
    ' ',
    '1',
    '0',
    'yes',
    'off',
    'dev',
    'test',
    'prod',
    '127.0.0.1',
    '0.0.0.0',
    '::1',
    '10.0.0.0/8',
  ),
  fc.constantFrom(
    '8000',
    '65536',
    '-1',
    'json',
    'memory:',
    'sqlite:x.db',
    '0.5',
    '*.example.org',
    'http://a:1',
    'loopback',
  ),
);

function read(variables: Readonly<Record<string, string>>): Configuration | string {
  try {
    return readConfiguration(variables);
  } catch (error) {
    assert.ok(isCodedError(error) && error.code.startsWith('CONFIG_'), String(error));
    assert.ok(error.fix !== undefined);
    return error.message;
  }
}

describe('any environment', () => {
  it('gives a configuration within its bounds, or the error that names a variable', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 }), (variables) => {
        const found = read(variables);
        if (typeof found === 'string') {
          assert.ok(
            names.some((name) => found.includes(name)),
            found,
          );
          return;
        }
        assert.ok(found.port >= 0 && found.port <= 65_535);
        const { rate = -1 } = found.sample;
        assert.ok(rate >= 0 && rate <= 1);
        assert.ok(found.retention.records >= 1 && found.retention.ageDays > 0);
        assert.ok(['dev', 'test', 'prod'].includes(found.env));
        const isPublic = found.debug && !isLoopbackHost(found.host);
        assert.ok(!isPublic || /^(?:1|true|yes|on)$/i.test(variables['APP_DEBUG_PUBLIC']?.trim() ?? ''));
      }),
      { numRuns: 500 },
    );
  });

  it('never repeats a secret', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{10,31}$/), (secret) => {
        const said = read({ PROFILER_SAMPLE_SECRET: secret });
        assert.ok(typeof said === 'string' && !said.includes(secret));
        const store = read({ PROFILER_STORE: `mongodb://me:${secret}@host` });
        assert.ok(typeof store === 'string' && !store.includes(secret));
      }),
    );
  });

  it('shows debug output to no one without debug', () => {
    const configuration = readConfiguration({ APP_ENV: 'prod' });
    const access = createDebugAccess(configuration)(undefined as never); // the request is not used
    assert.equal(access.allowed, false);
  });
});

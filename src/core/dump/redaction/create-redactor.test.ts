import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor } from '../../../../test/without-marks.js';

const redactor = createRedactor();

describe('secret names', () => {
  const secret =
    'authorization Proxy-Authorization cookie Set-Cookie password passwd pwd PASS secret token csrf_token X-CSRF-Token accessToken refresh_token id_token ' +
    'apiKey api-key X-API-KEY APIKey stripeKey ENCRYPTION_KEY credential credentials signature X-Amz-Signature session sessionId connect.sid PHPSESSID ' +
    'privateKey private_key DB_PASSWORD userPassword dbpassword mytoken passwordHash client_secret jwt user[password] user.password SECRET_KEY_BASE ' +
    'AWS_SECRET_ACCESS_KEY X-Auth-Token MAIL_PASS sig password1 password2 new_password1 token2 apiKey2 api_key_2 pin PIN cardPin user_pin mfa mfa_code ' +
    'one_time_code oneTimeCode verification_code recovery_codes backup_code device_code ticket SAMLResponse client_assertion iban cc_number cvc2 ' +
    'connection_string ConnectionString dsn SENTRY_DSN mdp kennwort neuesKennwort code_verifier passwordSalt seed recoveryPhrase ' +
    'securityAnswer passkey accessCode unlockCode socialSecurityNumber DATABASE_URL contraseña nueva_contraseña senha novaSenha motDePasse ' +
    'mot_de_passe wachtwoord hasło haslo пароль 密码 用户密码 パスワード lösenord DPoP X-Honeycomb-Team X-OAuth-Code';
  for (const name of secret.split(' ')) it(`hides ${name}`, () => assert.ok(redactor.isSecretName(name)));

  const open =
    'keyboard author authority authors monkey turkey keys key keyword publicKey primary_key foreignKey cacheKey passenger passive compass tokenizer ' +
    'secretary cookieless private public name email X-Debug-Token X-Debug-Token-Link basketId state passage assessment sidebar signal design postpone ' +
    'pinned shipping ticketId country_code postcode code status_code connection i18n base64 sha256 mp3 key1 assertion token_type passwordLength sessionTimeout token_endpoint';
  for (const name of open.split(' '))
    it(`keeps ${name}`, () => assert.equal(redactor.isSecretName(name), false));

  it('accepts additional secret names, and names to keep', () => {
    const own = createRedactor({ keys: ['iban'], allow: ['token'] });
    assert.ok(own.isSecretName('IBAN'));
    assert.equal(own.isSecretName('token'), false);
    assert.ok(own.isSecretName('accessToken'));
    assert.equal(own.text('iban=DE12345'), 'iban=[redacted]');
    const russian = createRedactor({ keys: ['ключ'] });
    assert.deepEqual([russian.isSecretName('Ключ'), russian.isSecretName('имя')], [true, false]);
  });

  it("accepts the application's secret names from the environment, in every redactor", () => {
    process.env['LOOKBACK_SECRET_NAMES'] = 'voucher, customer-number';
    try {
      for (const { query, json } of [createRedactor(), createRedactor({ keys: ['extra'] })]) {
        assert.equal(
          query('voucher=a&customerNumber=b&name=c'),
          'voucher=[redacted]&customerNumber=[redacted]&name=c',
        );
        assert.equal(json('{"voucher":"a"}'), '{"voucher":"[redacted]"}');
      }
    } finally {
      delete process.env['LOOKBACK_SECRET_NAMES'];
    }
  });

  it('handles names of any length without caching the long ones', () => {
    assert.equal(redactor.isSecretName('x'.repeat(1_000_000)), false);
    assert.ok(redactor.isSecretName(`${'x-'.repeat(1000)}password`));
  });
});

describe('authorization codes', () => {
  it('are hidden next to their companion parameters, and on redirect paths from a provider', () => {
    assert.equal(redactor.query('code=SplxlOBe&state=xyz'), 'code=[redacted]&state=xyz');
    assert.equal(
      redactor.query('grant_type=authorization_code&code=Splx&redirect_uri=https%3A%2F%2Fa'),
      'grant_type=authorization_code&code=[redacted]&redirect_uri=https%3A%2F%2Fa',
    );
    assert.equal(redactor.url('/cb?state=xyz&code=Splx'), '/cb?state=xyz&code=[redacted]');
    assert.equal(
      redactor.url('https://a/auth/callback?code=Splx#x'),
      'https://a/auth/callback?code=[redacted]#x',
    );
    assert.equal(redactor.url('/app#code=Splx&iss=https://a'), '/app#code=[redacted]&iss=https://a');
    assert.deepEqual(
      redactor.headers(['Location', '/in?code=Splx&state=1', 'Referer', 'http://a/?state=1&code=Splx']),
      ['Location', '/in?code=[redacted]&state=1', 'Referer', 'http://a/?state=1&code=[redacted]'],
    );
    assert.equal(
      redactor.text('No route found for "GET /in?code=Splx&state=1" (from "http://a/")'),
      'No route found for "GET /in?code=[redacted]&state=1" (from "http://a/")',
    );
  });

  it('do not include other codes: countries, currencies, errors, vouchers', () => {
    for (const query of ['code=DE', 'code=EUR&amount=3', 'postcode=1010&state=Wien', 'error_code=7&state=x'])
      assert.equal(redactor.query(query), query);
    assert.equal(redactor.url('/countries?code=DE'), '/countries?code=DE');
    assert.equal(redactor.text('exit code=1, state=done'), 'exit code=1, state=done');
  });
});

describe('headers', () => {
  it('returns the same list if nothing is secret', () => {
    const list = ['Host', 'a', 'Accept', '*/*', 'User-Agent', 'curl/8'];
    assert.equal(redactor.headers(list), list);
  });

  it('keeps cookie names and credential schemes', () => {
    assert.deepEqual(
      redactor.headers([
        'Cookie',
        'sid=abc; theme=dark',
        'Set-Cookie',
        'sid=abc; Path=/; HttpOnly',
        'Authorization',
        'Bearer abc',
        'X-Api-Key',
        'abc',
        'Referer',
        'http://u:p@h/?token=abc&page=2',
        'X-Note',
        'password=abc123',
      ]),
      [
        'Cookie',
        'sid=[redacted]; theme=[redacted]',
        'Set-Cookie',
        'sid=[redacted]; Path=/; HttpOnly',
        'Authorization',
        'Bearer [redacted]',
        'X-Api-Key',
        '[redacted]',
        'Referer',
        'http://[redacted]@h/?token=[redacted]&page=2',
        'X-Note',
        'password=[redacted]',
      ],
    );
  });
});

describe('headers with special credential formats', () => {
  for (const name of ['Authentication-Info', 'X-Amzn-Oidc-Data', 'X-Ms-Client-Principal', 'Authentication'])
    it(`hides the credentials of ${name}`, () => {
      const [, clean = ''] = redactor.headers([name, 'c4n4ry99']);
      assert.match(clean, /redacted/);
      assert.doesNotMatch(clean, /c4n4ry/);
    });

  it('hides a cookie without a name, and a token next to a protocol', () => {
    const clean = redactor.headers([
      'Cookie',
      'c4n4ry; a=c4n4ry;  ;b = c4n4ry',
      'Sec-WebSocket-Protocol',
      'bearer, c4n4ry',
      'Sec-WebSocket-Protocol',
      'chat, superchat',
      'Sec-WebSocket-Protocol',
      'base64url.bearer.authorization.k8s.io.c4n4ryc4n4ryc4n4ry, v4',
    ]);
    assert.deepEqual(
      clean.filter((_, at) => at % 2 === 1),
      [
        '[redacted]; a=[redacted];  ;b =[redacted]',
        'bearer, [redacted]',
        'chat, superchat',
        '[redacted], [redacted]',
      ],
    );
  });
});

describe('headers that usually hold no secret', () => {
  it('are searched anyway, except those that cannot contain one', () => {
    const given = [
      ['User-Agent', 'bot/1 (token=c4n4ry)', 'bot/1 (token=[redacted])'],
      ['Origin', 'https://ada:c4n4ry@a.org', 'https://[redacted]@a.org'],
      ['If-Match', '"eyJhbGciOiJIUzI1NiJ9.e30.c4n4ry"', '"[redacted]"'],
      ['Content-Type', 'text/plain; token=c4n4ry', 'text/plain; token=[redacted]'],
      ['Content-Disposition', 'form-data; password="c4n4ry"', 'form-data; password="[redacted]"'],
      ['DPoP', 'c4n4ry', '[redacted]'],
      ['X-Honeycomb-Team', 'c4n4ry', '[redacted]'],
      ['X-OAuth-Code', 'c4n4ry', '[redacted]'],
      ['WWW-Authenticate', 'Negotiate c4n4ry', 'Negotiate [redacted]'],
      ['WWW-Authenticate', 'Digest realm="a", nonce="c4n4ry"', 'Digest realm="a", nonce="[redacted]"'],
      [
        'WWW-Authenticate',
        'Bearer realm="a", error="invalid_token"',
        'Bearer realm="a", error="invalid_token"',
      ],
      ['WWW-Authenticate', 'Basic', 'Basic'],
      [
        'User-Agent',
        'Mozilla/5.0 (X11; rv:109.0) Gecko/20100101',
        'Mozilla/5.0 (X11; rv:109.0) Gecko/20100101',
      ],
      ['ETag', 'W/"6c5-1a2b3c4d"', 'W/"6c5-1a2b3c4d"'],
    ] as const;
    for (const [name, value, expected] of given)
      assert.deepEqual(redactor.headers([name, value]), [name, expected]);
  });
});

describe('URLs, queries and forms', () => {
  it('hides values of secret names in any spelling', () => {
    assert.equal(
      redactor.url('/a?x=1&access_token=abc#id_token=def'),
      '/a?x=1&access_token=[redacted]#id_token=[redacted]',
    );
    assert.equal(redactor.query('user%5Bpassword%5D=abc&a=b'), 'user%5Bpassword%5D=[redacted]&a=b');
    assert.equal(redactor.query('next=%2Fx%3Ftoken%3Dabc'), 'next=[redacted]');
    assert.equal(redactor.query('p%61ssword=abc'), 'p%61ssword=[redacted]');
    assert.equal(redactor.url('postgres://me:pw@db:5432/x'), 'postgres://[redacted]@db:5432/x');
  });

  it('hides repeatedly encoded values, and secret paths', () => {
    for (const [url, expected] of [
      ['/a?next=%252Fx%253Ftoken%253Dabc', '/a?next=[redacted]'],
      ['/a?next=%25252Fx%25253Ftoken%25253Dabc&b=1', '/a?next=[redacted]&b=1'],
      ['/reset/c4N4ry99xyz?a=1', '/reset/[redacted]?a=1'],
      ['/reset/%634N4ry99xyz', '/reset/[redacted]'],
      ['/reset/c%2F4N4ry99xyz%3D%3D', '/reset/[redacted]'],
      ['/v1/token/c4N4ry99xyz/use', '/v1/token/[redacted]/use'],
      ['https://api.telegram.org/bot123:c4n4ry/getMe', 'https://api.telegram.org/bot123:[redacted]/getMe'],
    ] as const)
      assert.equal(redactor.url(url), expected);
    for (const url of [
      '/reset/password',
      '/sessions/12345678',
      '/tokens/index.js',
      '/verify/2026-01-02',
      '/a?next=%2Fx%3Fpage%3D2',
    ])
      assert.equal(redactor.url(url), url);
  });

  it('keeps the rest byte for byte', () => {
    for (const url of ['/', '/a?b=%zz&c', '/?=&&', '/articles?page=2&sort=name', '*', 'http://[::1]:1/']) {
      assert.equal(redactor.url(url), url);
    }
  });
});

describe('JSON', () => {
  it('hides at any depth, also in truncated text and in JSON within JSON', () => {
    assert.equal(
      redactor.json('{"a":[{"password" : "x","b":1}]}'),
      '{"a":[{"password" : "[redacted]","b":1}]}',
    );
    assert.equal(redactor.json('{"secret":{"a":[1,"}"]},"b":2}'), '{"secret":"[redacted]","b":2}');
    assert.equal(redactor.json('{"token":"abc'), '{"token":"[redacted]"');
    assert.equal(redactor.json('{"p\\u0061ssword":"x"}'), '{"p\\u0061ssword":"[redacted]"}');
    assert.doesNotMatch(
      redactor.json(JSON.stringify({ body: JSON.stringify({ secret: 'c4n4ry-1' }) })),
      /c4n4ry/,
    );
    assert.equal(
      redactor.json('{"token":null,"pinned":1,"secret":false}'),
      '{"token":null,"pinned":1,"secret":false}',
    );
    assert.equal(redactor.json('{"otp":123456}'), '{"otp":"[redacted]"}');
  });

  it('never reveals a value under a secret name, at any position', () => {
    const tree = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.integer(),
        fc.string(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
        fc.record({
          password: fc.oneof(fc.constant('c4n4ry'), fc.constant(['c4n4ry']), fc.constant({ in: 'c4n4ry' })),
        }),
      ),
    })).value;
    fc.assert(
      fc.property(tree, fc.constantFrom(0, 2), (value, space) => {
        const clean = redactor.json(JSON.stringify(value, null, space));
        assert.doesNotMatch(clean, /c4n4ry/);
        JSON.parse(clean);
      }),
    );
  });
});

describe('text', () => {
  it('hides credentials in messages', () => {
    for (const text of [
      'Authorization: Bearer c4n4ry-1',
      'failed with Basic YzRuNHJ5OjE=',
      'password=c4n4ry',
      "{ password: 'c4n4ry' }",
      '"client_secret":"c4n4ry"',
      '\\"client_secret\\":\\"c4n4ry\\"',
      'connect mysql://root:c4n4ry@localhost/db failed',
      'jwt eyJhbGciOiJIUzI1NiJ9.eyJjNG40cnkiOjF9.c4n4ry',
      'api_key => c4n4ry-9',
      '-----BEGIN RSA PRIVATE KEY-----\nYzRuNHJ5\n-----END RSA PRIVATE KEY-----',
    ]) {
      const clean = redactor.text(text);
      assert.match(clean, /\[redacted\]/, text);
      assert.doesNotMatch(clean, /c4n4ry|YzRuNHJ5/, text);
    }
  });

  it('hides tokens by their form, and values quoted or passed along with their names', () => {
    for (const text of [
      'charged with sk_live_51c4n4ryc4n4ryc4n4ry',
      'ghp_c4n4ryc4n4ryc4n4ryc4n4ry0000 is gone',
      'github_pat_c4n4ryc4n4ryc4n4ryc4n4ry_0000',
      'glpat-c4n4ryc4n4ryc4n4ry',
      'AKIAC4N4RYEXAMPLE123',
      'xoxb-c4n4ry-c4n4ry',
      'lin_api_c4n4ryc4n4ryc4n4ry is revoked',
      '-----BEGIN PRIVATE KEY-----\nYzRuNHJ5\n',
      "Invalid password 'c4n4ry'",
      'The password is "c4n4ry", which is wrong',
      "Unknown API key 'c4n4ry99c4n4ry'",
      'ran curl -u ada:c4n4ry https://a/',
      'curl --user=ada:c4n4ry',
      '<a><password><![CDATA[c4n4ry]]></password></a>',
      '<s:password type="text">c4n4ry</s:password>',
    ]) {
      const clean = redactor.text(text);
      assert.match(clean, /\[redacted\]/, text);
      assert.doesNotMatch(clean, /c4n4ry|YzRuNHJ5/i, text);
      assert.equal(redactor.text(clean), clean);
    }
    assert.equal(redactor.url('/x/lin_api_c4n4ryc4n4ryc4n4ry/y'), '/x/[redacted]/y');
    assert.equal(redactor.url('/x/eyJhbGciOiJIUzI1NiJ9.e30.c4n4ry/y'), '/x/[redacted]/y');
    assert.equal(redactor.url('/x?a=1&eyJhbGciOiJIUzI1NiJ9.e30.c4n4ry'), '/x?a=1&[redacted]');
    assert.equal(
      redactor.query(`a=%&${'&%'.repeat(10)}p%61ssword%=c4n4ry`),
      `a=%&${'&%'.repeat(10)}p%61ssword%=[redacted]`,
    );
  });

  it('does not mistake parts of prose or markup for secret XML elements', () => {
    for (const text of [
      'A Promise<Token> or Map<Secret, Key> was expected',
      '<auth-form><label>Name</label></auth-form>',
      "Unexpected token 'a'",
      'Invalid token "<"',
    ])
      assert.equal(redactor.text(text), text);
  });

  it('leaves prose unchanged', () => {
    for (const text of [
      'Unexpected token: expected "}"',
      'No route found for "GET http://127.0.0.1:8000/x" (from "http://a/?b=c")',
      'Invalid session, please log in',
      'The key: value pairs are missing',
      'Basic checks passed',
      "Cannot read properties of undefined (reading 'token')",
      'const token: string = read();',
    ]) {
      assert.equal(redactor.text(text), text);
    }
  });

  it('never throws, is idempotent, and takes linear time', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z=:"'\\ ?&]{0,80}$/)), (text) => {
        const once = redactor.text(`token=${text}`);
        assert.equal(redactor.text(once), once);
        redactor.json(text);
        redactor.url(text);
        redactor.query(text);
        redactor.headers([text, text]);
      }),
    );
    for (const unit of [
      'a=',
      'token=',
      'a',
      '"',
      '\\',
      'eyJ',
      '-----BEGIN ',
      'x://',
      'bearer ',
      'a.',
      '{"a":',
    ]) {
      const text = unit.repeat(Math.ceil(200_000 / unit.length));
      const begun = process.cpuUsage();
      redactor.text(text);
      redactor.json(text);
      redactor.query(text);
      const took = process.cpuUsage(begun).user / 1000;
      assert.ok(took < 3000, `${unit}: ${took} ms`);
    }
  });
});

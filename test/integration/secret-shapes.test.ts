import assert from 'node:assert/strict';
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor, dump } from '#core/dump';

const redactor = createRedactor();
const secret = 'cAn4Zz9xQ7001';

describe('statements that set passwords and keys', () => {
  it('hide them, with quotes of any kind and without, and as a whole statement or in a message', () => {
    for (const sql of [
      `ALTER USER bob PASSWORD '${secret}'`,
      `alter user bob identified by "${secret}"`,
      `ALTER USER bob IDENTIFIED BY ${secret}`,
      `SET PASSWORD FOR 'bob'@'x' = PASSWORD("${secret}")`,
      `set password for bob to "${secret}"`,
      `create login bob with password = '${secret}'`,
      `create server s options (password '${secret}')`,
      `PRAGMA key="${secret}"`,
      `PRAGMA key('${secret}')`,
      `PRAGMA main.hexkey = x'${secret}'`,
      `PRAGMA rekey = ${secret}`,
      `attach database 'x.db' as y key '${secret}'`,
      `update t set data = json_set(data, '$.password', '${secret}')`,
      `with n(password) as (values ('${secret}')) select * from n`,
    ])
      for (const statements of ['shape', 'named'] as const)
        for (const text of [sql, `${sql} - failed`]) {
          const clean = redactor.text(text, { statements });
          assert.ok(!clean.includes(secret), `${statements}: ${clean}`);
        }
  });

  it('keep the names in double quotes and the words of the statement', () => {
    assert.equal(redactor.text('ALTER USER "bob" IDENTIFIED BY "x1"'), 'ALTER USER "bob" IDENTIFIED BY ?');
    assert.equal(
      redactor.text("SET PASSWORD FOR 'bob' = PASSWORD('x')", { statements: 'named' }),
      'SET PASSWORD FOR ? = PASSWORD(?)',
    );
    assert.equal(
      redactor.text('alter user bob identified by random password'),
      'alter user bob identified by random password',
    );
  });
});

describe("GraphQL variables that are secret according to the document's arguments", () => {
  const query = 'mutation($p: String!, $n: String) { login(password: $p, name: $n) { id } }';
  const variables = { p: secret, n: 'ada' };

  it("are hidden in objects, maps and batches next to it, whatever the document's member is called", () => {
    for (const value of [
      { query, variables },
      [{ operationName: 'a', query, variables }],
      { body: { mutation: query, variables: new Map(Object.entries(variables)) } },
      { variables, document: query },
    ]) {
      const text = JSON.stringify(dump(value));
      assert.ok(!text.includes(secret) && text.includes('ada') && text.includes('login(password: $p'), text);
    }
  });

  it('are hidden in JSON, in JSON within JSON and within a message, in queries and forms', () => {
    const json = JSON.stringify({ query, variables });
    const form = `query=${encodeURIComponent(query)}&variables=${encodeURIComponent(JSON.stringify(variables))}`;
    for (const clean of [
      redactor.json(json),
      redactor.json(JSON.stringify({ query, variables: JSON.stringify(variables) })),
      redactor.json(JSON.stringify({ body: json })),
      redactor.text(`sent ${json}`),
      redactor.query(form),
      redactor.url(`http://h/graphql?${form}`),
      redactor.text(`GET http://h/graphql?${form} failed`),
    ])
      assert.ok(!clean.includes(secret) && clean.includes('variables'), clean);
  });

  it('are shown if no argument is secret', () => {
    const plain = { query: 'query($p: ID) { user(id: $p) { name } }', variables: { p: 'a1b2c3d4' } };
    assert.equal(redactor.json(JSON.stringify(plain)), JSON.stringify(plain));
    assert.match(JSON.stringify(dump(plain)), /a1b2c3d4/);
  });
});

describe('text tables', () => {
  const tableOf = (value: unknown): string => {
    let out = '';
    const stream = new Writable({
      write(chunk, _encoding, done) {
        out += String(chunk);
        done();
      },
    });
    new Console(stream).table(value);
    return out;
  };

  it('hide the cells below a secret column and next to a secret name', () => {
    for (const table of [
      tableOf([
        { name: 'ada', password: secret },
        { name: 'bob', password: `${secret}b` },
      ]),
      tableOf({ password: secret, name: 'ada' }),
      tableOf(new Map([['password', secret]])),
      tableOf([['password', secret]]),
      ` id | password\n----+---------\n  1 | ${secret}\n(1 row)`,
      `+----+-------+\n| id | token |\n+----+-------+\n| 1 | ${secret} |\n+----+-------+`,
      `| name | password |\n|---|---|\n| ada | ${secret} |\n| bob | ${secret} |`,
    ]) {
      const clean = redactor.text(table);
      assert.ok(!clean.includes(secret) && /\[redacted[\]-]/.test(clean), clean);
    }
  });

  it('keep their other cells, and text that is not a table', () => {
    const table = tableOf([{ name: 'ada', born: 1815, tokens: 7 }]);
    assert.equal(redactor.text(table), table);
    assert.match(redactor.text(tableOf([{ name: 'ada', password: secret }])), /│ 'ada' │/);
    for (const text of ['password | string\na | b', 'cat token | grep x\nls | wc'])
      assert.equal(redactor.text(text), text);
  });
});

describe('parameters of single sign-on and mailed links', () => {
  it('are hidden in URLs, in forms and in messages', () => {
    for (const path of [
      `/x?assertion=PHNhbWw+YWJj/${secret}/==`,
      `/x?assertion=${secret}.a.b`,
      `/x?SAMLResponse=${secret}`,
      `/x?SAMLart=${secret}`,
      `/x?wresult=${secret}`,
      `/x?id_token_hint=${secret}`,
      `/x?code_verifier=${secret}`,
      `/x?client_assertion=${secret}&client_assertion_type=a`,
      `/x?subject_token=${secret}`,
      `/x?magic_link=${secret}`,
      `/password/link?user=ada&hash=${secret}`,
      `/verify/email/12/${secret}`,
      `/email/verify/12/${secret}?expires=1&signature=${secret}`,
      `/accounts/reset/MQ/${secret}`,
    ]) {
      assert.ok(!redactor.url(path).includes(secret), path);
      assert.ok(!redactor.text(`went to http://h${path} then`).includes(secret), path);
      const query = path.slice(path.indexOf('?') + 1);
      if (path.includes('?')) assert.ok(!redactor.query(query).includes(secret), path);
    }
  });
});

/** Pieces of text that the redactor looks for. */
const piece = fc.constantFrom(
  ...(
    'password token secret api_key authorization cookie key code state name value hunter2 x Abc123def456 Bearer basic ' +
    'eyJhbGciOiJIUzI1NiJ9.e30.abc sk_live_abcdefgh12 select null true none 7 12345 [redacted] <password> </password> reset curl -u ' +
    'http: variables mutation{ $p hash kty d ─ │ | -- - / // @ & ? = : , ; ( ) { } [ ] \\ " \' ` $ %3D %253d verify 12'
  ).split(' '),
  ' ',
  '\n',
  'insert into t values (',
  'update t set ',
  'identified by ',
  'pragma key = ',
  'Key (token)=(',
  'Failing row contains (',
  'error: ',
  '"password":',
);

describe('redacting redacted text', () => {
  it('changes nothing', () => {
    const texts = fc.array(piece, { minLength: 1, maxLength: 14 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const once = redactor.text(text);
        assert.equal(redactor.text(once), once);
        const json = redactor.json(text);
        assert.equal(redactor.json(json), json);
        // Queries and URLs have no spaces.
        const target = text.replaceAll(/\s/g, '');
        const query = redactor.query(target);
        assert.equal(redactor.query(query), query);
        const url = redactor.url(target);
        assert.equal(redactor.url(url), url);
      }),
      { numRuns: 2000 },
    );
  });

  it('changes nothing in JSON either', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom('password', 'token', 'a'), (json, name) => {
        const once = redactor.json(`{"${name}":${json},"b":[${json}]}`);
        assert.equal(redactor.json(once), once);
      }),
    );
  });

  it('changes nothing in adjacent pairs', () => {
    for (const text of [
      'secret =token:key',
      '"password":[redacted]',
      'token: password: x1y2z3',
      "password='it''s'",
    ])
      for (const method of ['text', 'json', 'query', 'url'] as const) {
        const once = redactor[method](text);
        assert.equal(redactor[method](once), once, method);
      }
  });
});

describe('JSON with malformed escapes', () => {
  it('takes about as long as JSON with valid ones', () => {
    const timeOf = (json: string): number => {
      const start = process.cpuUsage();
      redactor.json(json);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    const json = (escape: string): string => `[${`"a${escape}b",`.repeat(20_000)}"z"]`;
    timeOf(json('\\n')); // compiles
    const times = Array.from({ length: 3 }, () => [timeOf(json('\\n')), timeOf(json('\\x'))] as const);
    const [correct, malformed] = [0, 1].map((at) => Math.min(...times.map((pair) => pair[at] ?? 0)));
    assert.ok((malformed ?? 0) < 4 * (correct ?? 0) + 50_000, JSON.stringify(times));
  });

  it('hides the values of names with other escapes', () => {
    assert.equal(redactor.json('{"\\u0070assword\\x":1,"pass\\u0077ord":"a1b2"}').includes('a1b2'), false);
  });
});

describe('a value that only sounds secret', () => {
  const hex = (digits: number): fc.Arbitrary<string> =>
    fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`));
  const identifier = fc.oneof(fc.uuid(), hex(16), hex(32));

  it('stays readable as a member, a parameter and a pair in text', () => {
    const small = fc.integer({ min: 0, max: 999 });
    const members = fc.oneof(
      fc.tuple(
        fc.constantFrom(
          'prompt_tokens',
          'completion_tokens',
          'max_tokens',
          'totalTokens',
          'token_count',
          'expires_in',
        ),
        fc.nat(1_000_000),
      ),
      fc.tuple(fc.constantFrom('seed', 'token', 'session', 'salt', 'signature', 'cookies', 'secret'), small),
      fc.tuple(fc.constantFrom('auth', 'csrf', 'token', 'session', 'hasToken', 'secret'), fc.boolean()),
      fc.tuple(fc.constant('auth'), fc.constantFrom('none', 'basic', 'optional', 'required', 'anonymous')),
      fc.tuple(fc.constant('credentials'), fc.constantFrom('include', 'same-origin', 'omit')),
      fc.tuple(fc.constant('signature'), fc.stringMatching(/^[a-z]{2,10}$/)),
      fc.tuple(fc.constantFrom('id', 'requestId', 'etag', 'commit', 'traceId', 'sha'), identifier),
      fc.tuple(
        fc.constantFrom('accessTokenExpiresAt', 'tokenType', 'passwordLength'),
        fc.constant('2026-11-28'),
      ),
      fc.tuple(fc.constant('key'), fc.stringMatching(/^[a-z]{2,8}$/)),
      fc.tuple(fc.constant('code'), fc.constantFrom('ECONNREFUSED', 'DE', 'P2002')),
    );
    fc.assert(
      fc.property(members, ([name, value]) => {
        const json = JSON.stringify({ a: { [name]: value } });
        assert.equal(redactor.json(json), json);
        assert.ok(!JSON.stringify(dump({ [name]: value })).includes('redacted'));
        const query = `a=1&${name}=${encodeURIComponent(value)}`;
        assert.equal(redactor.query(query), query);
        assert.equal(redactor.text(`${name}: ${value}`), `${name}: ${value}`);
      }),
      { numRuns: 1000 },
    );
  });

  it('is hidden nevertheless under names of passwords, PINs and codes', () => {
    const names = fc.constantFrom('pin', 'cvv', 'otp', 'card_pin', 'password', 'passcode');
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 9999 }), (name, value) => {
        assert.ok(redactor.json(JSON.stringify({ [name]: value })).includes('[redacted]'));
        assert.equal(redactor.query(`${name}=${value}`), `${name}=[redacted]`);
        assert.ok(JSON.stringify(dump({ [name]: value })).includes('redacted'));
      }),
    );
  });

  it('stays readable in paths, headers and messages', () => {
    fc.assert(
      fc.property(hex(40), identifier, hex(8), (commit, id, short) => {
        for (const url of [
          '/secret-santa/rules-for-2026',
          '/token-ring/topology-2026',
          '/password-policy',
          '/sessions/2026-11-28',
          '/reset-password',
          `/commit/${commit}`,
          `/blob/${commit}/src/token.ts`,
          `/orders/${id}`,
          `/users/${id}/email`,
          `/assets/app.${short}.js?v=${short}`,
          `/a?request_id=${id}&etag=${id}&sha=${commit}`,
        ])
          assert.equal(redactor.url(url), url);
        for (const [name, value] of [
          ['access-control-allow-credentials', 'true'],
          ['etag', `W/"${id}"`],
          ['if-none-match', `"${id}"`],
          ['x-request-id', id],
          ['x-correlation-id', id],
          ['traceparent', `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`],
          ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='],
        ] as const)
          assert.equal(redactor.value(name, value), value);
        for (const text of [
          `Merge commit ${commit} into main`,
          `git checkout ${short}`,
          `request ${id} took 3 ms`,
          'Unexpected token "}" in JSON at position 4',
          'at Object.token (/srv/token.js:1:2)',
          'password: required',
          'signature: (a: string, b: number) => void',
          'PRAGMA journal_mode = WAL',
          'create table t (id int, password text)',
        ])
          assert.equal(redactor.text(text), text);
      }),
    );
  });
});

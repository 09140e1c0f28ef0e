import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { createRedactor, withoutMarks } from '../../../../test/without-marks.js';
import { redactTokens } from './redact-text.js';

const { text } = createRedactor();

describe('the user part of URLs in a text', () => {
  it('is hidden in each of several URLs, with nothing around it', () => {
    assert.equal(
      text('amqp://ada:s3cret@mq:5672 then https://x:y@example.org/a?b=c@d and postgres://u@h/db.'),
      'amqp://[redacted]@mq:5672 then https://[redacted]@example.org/a?b=c@d and postgres://[redacted]@h/db.',
    );
    assert.equal(text('git+ssh://git:pw@host://x:y@z'), 'git+ssh://[redacted]@host://[redacted]@z');
  });

  it('is not assumed after a path, a query, a space or a quote, or without a scheme', () => {
    for (const one of [
      'https://example.org/@ada',
      'https://example.org?mail=a@b.org',
      'see https:// ada@example.org',
      'href="https://"ada@example.org',
      '://ada:pw@x',
      'x://ada:pw@x',
      '1://ada:pw@x',
    ])
      assert.equal(text(one), one);
  });
});

it('all cookies in a header are hidden, whatever their names', () => {
  assert.equal(text('Cookie: theme=c4n4ry1; lang=c4n4ry2'), 'Cookie: [redacted]');
});

describe('a word after a secret name and a space', () => {
  it('is hidden at the end of a line or clause, and read as prose elsewhere', () => {
    for (const end of ['', '\n', '\r\n', '\\n', ', role: admin', ';', '}', ')', ']'])
      assert.equal(text(`password: swordfish${end}`), `password: [redacted]${end === '\\n' ? '' : end}`);
    for (const one of ['swordfish of old', 'ab', 'Missing', 'get('])
      assert.equal(text(`password: ${one}`), `password: ${one}`);
  });
});

/** Texts that each contain a secret, as people and programs write them. */
const secrets = `
Error: password: c4n4ry1
login failed: token: c4n4ry1
config: apiKey: c4n4ry1
Uncaught Error: password: c4n4ry1
user: ada, password: c4n4ry1, role: admin
auth: session: password: c4n4ry1
--password=c4n4ry1
-Dspring.datasource.password=c4n4ry1
Command failed: mysqldump --password=c4n4ry1 db
mysqldump --password c4n4ry1 db
app --api-token "c4n4ry1 c4n4ry2" --verbose
mysql -uroot -pc4n4ry1 db
redis-cli -a c4n4ry1 ping
curl -u ada:c4n4ry1 https://a/
Authorization: Token c4n4ry1
authorization: ApiKey c4n4ry1
Authorization: Digest username="ada", response="c4n4ry1"
Authorization: AWS4-HMAC-SHA256 Credential=c4n4ry1/2026, Signature=c4n4ry1
curl -H 'Authorization: Token c4n4ry1' http://h/
Cookie: theme=c4n4ry1; sid=c4n4ry2
postgres://u:p@c4n4ry@h/db
postgres://u:pa/c4n4ry@h/db
postgres://u:pa#c4n4ry@h/db
postgres://u:pa?c4n4ry@h/db
//u:c4n4ry@h/
connect to "mysql://root:a@b/c4n4ry@db:3306/x" failed
password=a,c4n4ry
password=a;c4n4ry
password=a)c4n4ry
password=a&c4n4ry
password=a|c4n4ry
password='it''s c4n4ry'
password: 'it\\'s c4n4ry'
password="say \\"c4n4ry\\""
{"log":"{\\"password\\":\\"a\\\\\\"c4n4ry\\"}"}
{'password': 'c4n4ry'}
{ password: "c4n4ry" }
credentials: { user: 'ada', key: 'c4n4ry' }
tokens=['c4n4ry', 'c4n4ry']
user[password]=c4n4ry
config['token'] = 'c4n4ry'
params["api_key"] => "c4n4ry"
password:c4n4ry
PASSWORD = c4n4ry1
pin: 1c4n4ry
passwordHash=c4n4ry
salt=c4n4ry&seed=c4n4ry
recoveryPhrase: "c4n4ry c4n4ry"
securityAnswer=c4n4ry passkey=c4n4ry accessCode=c4n4ry unlock_code=c4n4ry
2fa_code=c4n4ry twoFactorCode=c4n4ry smsCode=c4n4ry login_code=c4n4ry activation_code=c4n4ry
https://host/verify-email/c4n4ry77 https://host/confirm_email/c4n4ry77
socialSecurityNumber=c4n4ry DATABASE_URL=c4n4ry
code_verifier=c4n4ry
contraseña=c4n4ry
senha: c4n4ry1
motDePasse=c4n4ry
mot_de_passe=c4n4ry
"mot de passe": "c4n4ry"
wachtwoord=c4n4ry
hasło=c4n4ry haslo=c4n4ry
пароль: c4n4ry
密码=c4n4ry
用户密码: "c4n4ry"
неверный пароль "c4n4ry"
contraseña incorrecta, senha 'c4n4ry'
No route found for "GET /reset/c4N4ry99xyz"
GET /reset-password/c4N4ry99xyz 404
/token/c4N4ry99xyz
https://api.telegram.org/bot123456:c4n4ry/sendMessage
https://hooks.slack.com/services/T0A/B0B/c4n4ry
https://discord.com/api/webhooks/123/c4n4ry
next=%2Fx%3Ftoken%3Dc4n4ry
next=%252Fx%253Ftoken%253Dc4n4ry
ERR unknown command 'SETT', with args beginning with: 'k' 'c4n4ry'
create user me identified by 'c4n4ry'
alter user me with password $$c4n4ry$$
insert into users values ($tag$c4n4ry$tag$)
<a><password>c4n4ry</password></a>
<wsse:Password Type="x">c4n4ry</wsse:Password>
hf_c4n4ryc4n4ryc4n4ryc4n4ryc4n4ry00
shpat_c4n4ryc4n4ryc4n4ryc4n4ry
ya29.c4n4ryc4n4ryc4n4ryc4n4ry
GOCSPX-c4n4ryc4n4ryc4n4ryc4n4
`
  .trim()
  .split('\n');

/** Texts that stay unchanged: prose, code, statements, data and URLs that only look secret. */
const readable = `
Unexpected token: expected "}"
Unexpected token '<', "<!doctype "... is not valid JSON
Invalid password: too short, must be at least 8 characters
password: String must contain at least 8 character(s)
password: required
Password: is missing.
Token: expired
The session: key "a" is unknown
Invalid session, please log in
Session: [object Object]
Authorization: required for this page
Cookie: not set
const token: string = read();
password: z.string().min(8),
if (token === undefined) return;
function check(token: string, secret: Buffer): boolean {
type Tokens = { access: string }
at Parser.token (file:///srv/app/node_modules/jsonwebtoken/lib/verify.js:12:34)
at file:///srv/app/dist/tokens/index.js:120:45
/home/ada/projects/secret-santa/src/app.ts:12:5
https://www.npmjs.com/package/@scope/name
https://unpkg.com/preact@10.24.0/dist/preact.min.js
https://mastodon.social/@ada
http://localhost:3000/@vite/client
http://localhost:3000/reset
GET /auth/login 200 in 12 ms
GET /sessions/42 200
GET /tokens/list?page=2&sort=name 200
GET /password/forgotten 200
POST /invite/accept 302
GET /verify/instructions 200
see https://example.org/docs/tokens#refresh
mail to ada@example.org, or see https://example.org?mail=a@b.org
12:30:45 listening on http://[::1]:8080/
Failed to load module 'tokenizer': not found
author: Ada, keyboard: qwerty, monkey: 1
primary key: id, foreign key: user_id
{"page":2,"sort":"name","author":"Ada","keys":["a","b"],"tokenCount":null}
select "id", "title" from "posts" where "author_id" = $1 order by "id" limit 10
SELECT * FROM users WHERE id = ? AND deleted_at IS NULL
select count(*) from sessions where user_id = $1
update posts set title = $1, views = views + 1 where id = $2
The assertion failed: expected 3 to equal 4
exit code=1, state=done, signal=SIGTERM
ran npm install --save-dev typescript --prefix ./app
usage: app --token-file PATH --verbose
Passed 12 of 12 tests in 34 ms
the pinned item, the shipping address, a ticket office
a ? b : c; x => y; a == b; a :: b
key=value; name=Ada; color: red; width: 12px
{{ token }} \${token} {token} %s
token=%s&page={page}
Bearer authentication is required
Basic checks passed
Ошибка: файл не найден
错误：文件不存在
Fehler: Datei nicht gefunden
Erreur : fichier introuvable
`
  .trim()
  .split('\n');

describe('a secret in a text', () => {
  for (const one of secrets)
    it(`is hidden: ${one}`, () => {
      const clean = text(one);
      assert.doesNotMatch(clean, /c4n4ry/i);
      assert.match(clean, /redacted|\?/);
      assert.equal(text(clean), clean, 'once more');
    });

  it('is hidden across lines, as in YAML and .env files', () => {
    const file =
      'db:\n  host: example.org\n  password: c4n4ry\nTOKEN=c4n4ry\n\nport: 5432\nsecret: "c4n4ry"\n';
    assert.equal(
      text(file),
      'db:\n  host: example.org\n  password: [redacted]\nTOKEN=[redacted]\n\nport: 5432\nsecret: "[redacted]"\n',
    );
  });

  it('leaves the surrounding text unchanged', () => {
    for (const [given, expected] of [
      ['GET /x?token=abc&page=2 200', 'GET /x?token=[redacted]&page=2 200'],
      ['token=abc, user=ada; next', 'token=[redacted], user=ada; next'],
      ['{token: abc123, user: ada}', '{token: [redacted], user: ada}'],
      ['Authorization: Bearer abc1234 was sent', 'Authorization: Bearer [redacted] was sent'],
      ['login(password=abc) failed', 'login(password=[redacted]) failed'],
      ['redis://:p%40ss@h:6379/0 and https://h/@x', 'redis://[redacted]@h:6379/0 and https://h/@x'],
      ['https://x:y@example.org/a?b=c@d', 'https://[redacted]@example.org/a?b=c@d'],
    ] as const)
      assert.equal(text(given), expected);
  });
});

describe('a text without a secret', () => {
  for (const one of readable) it(`is unchanged: ${one}`, () => assert.equal(text(one), one));
});

describe('any text', () => {
  it('is redacted as before if a replaced secret precedes a name or ends a path', () => {
    for (const [given, expected] of [
      ["tokens=['c4n4ry', 'c4n4ry']key=value", 'tokens=[redacted]key=value'],
      ["tokens=['c4n4ry']authorization: ApiKey c4n4ry1", 'tokens=[redacted]authorization: ApiKey [redacted]'],
      ['/confirm_email/c4n4ry77token=c4n4ry1: x', '/confirm_email/c4n4ry77token=[redacted] x'],
    ] as const) {
      assert.equal(text(given), expected);
      assert.equal(text(expected), expected, 'once more');
    }
  });

  it('redacts idempotently', () => {
    const part = fc.constantFrom(
      ...secrets,
      ...readable,
      'token=',
      'password: ',
      '"',
      "'",
      ' ',
      ',',
      '{',
      '}',
      '\\',
      '\n',
      '@',
      '://',
      '[',
      ']',
      ':',
      '=',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const once = text(parts.join(''));
        assert.equal(text(once), once);
      }),
      { numRuns: 500 },
    );
  });
});

const long = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
const tokens = [
  `eyJ${long}.${long}.${long}`,
  `sk_live_${long}`,
  `rk_test_${long}`,
  `whsec_${long}`,
  `ghp_${long}`,
  `github_pat_${long}`,
  `glpat-${long}`,
  `dckr_pat_${long}`,
  `pypi-${long}${long}${long}`,
  'AKIAIOSFODNN7EXAMPLE',
  `xoxb-${long}`,
  `AIza${long}`,
  `npm_${long}`,
  `SG.${long}.${long}`,
  `sk-proj-${long}`,
  `hf_${long}`,
  `shpat_${long}`,
  `ya29.${long}`,
  `GOCSPX-${long}`,
  `lin_api_${long}`,
  `lin_oauth_${long}`,
];

describe('tokens by format', () => {
  it('are hidden anywhere, with the surrounding text unchanged', () => {
    for (const token of tokens) {
      assert.equal(withoutMarks(redactTokens(token)), '[redacted]', token);
      assert.equal(
        withoutMarks(redactTokens(`key "${token}" of a, ${token}.`)).replaceAll(/\.$/g, ''),
        'key "[redacted]" of a, [redacted]',
        token,
      );
    }
  });

  it('do not match other words with the same prefix', () => {
    for (const text of [
      'eyJ',
      'a sk-ip',
      'github_pat_',
      'npm_config',
      'AKIA',
      'SG.a.b',
      'whsec_1',
      'mysk_live_x',
      'lin_api_key',
      'task-force-of-people',
    ])
      assert.equal(withoutMarks(redactTokens(text)), text);
  });

  it('take linear time even with many near matches', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('eyJ', 'sk-', 'ghp_', '.', '-', 'a', ' ')), (parts) => {
        const text = parts.join('');
        assert.equal(redactTokens(redactTokens(text)), redactTokens(text));
      }),
    );
    const begun = process.cpuUsage();
    for (const near of ['eyJ', 'sk-', 'ghp_', 'eyJa.'])
      assert.ok(redactTokens(near.repeat(200_000)).length > 0, near);
    assert.ok(process.cpuUsage(begun).user < 3_000_000);
  });
});

it('hides one-time codes next to their names, and keeps other codes and numbers', () => {
  const redactor = createRedactor();
  for (const text of [
    'OTP code: 123456',
    'Your verification code is 123456.',
    '123456 is your Example verification code',
    'otp 123456 for ada',
    'sent one-time passcode 48-1234'.replace('48-1234', '481234'),
    'security code: AB12-CD34',
    'sms code = 4711',
  ])
    assert.match(redactor.text(text), /\[redacted\]/, text);
  for (const text of [
    'status code: 404, error code: 17',
    'exit code 1234 of the verification',
    'the verification code is wrong',
    'otp expired',
    '1234 is your order number',
    'postal code: 10115',
  ])
    assert.equal(redactor.text(text), text);
});

it('hides a block of lines after a secret name, as in YAML', () => {
  const { text } = createRedactor();
  for (const mark of ['|', '>', '|-', '>2'])
    assert.equal(
      text(`db:\n  password: ${mark}\n    CANARY1\n\n    CANARY2\n  host: db.test\nport: 1\n`),
      `db:\n  password: ${mark}\n    [redacted]\n  host: db.test\nport: 1\n`,
    );
  assert.doesNotMatch(text('password: |\n  CANARY1'), /CANARY/);
});

it('hides a generated secret after its name in a sentence', () => {
  const { text } = createRedactor();
  assert.equal(text('your new password is Zq7xCANARY9fW.'), 'your new password is [redacted].');
  assert.equal(text('The token was abc123def456 once'), 'The token was [redacted] once');
  const plain = 'the password is required, the key is missing, the token is 12 characters long';
  assert.equal(text(plain), plain);
});

describe('values in formats of other programs', () => {
  for (const [what, given, expected] of [
    [
      'YAML with names and values',
      'env:\n  - name: DB_PASSWORD\n    value: "swordfish"\n  - name: CITY\n    value: Rome',
      'env:\n  - name: DB_PASSWORD\n    value: "[redacted]"\n  - name: CITY\n    value: Rome',
    ],
    ['LDIF', 'dn: uid=ada\nuserPassword:: c3dvcmRmaXNo', 'dn: uid=ada\nuserPassword:: [redacted]'],
    [
      'PHP',
      'a:2:{s:8:"password";s:9:"swordfish";s:4:"city";s:4:"Rome";}',
      'a:2:{s:8:"password";s:9:"[redacted]";s:4:"city";s:4:"Rome";}',
    ],
    ['Apache', 'ada:$apr1$lZL6V/ci$eIMz/iKDkbtys/uU7LEK00', 'ada:[redacted]'],
    ['bcrypt', 'is $2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy now', 'is [redacted] now'],
  ] as const)
    it(`of ${what} are hidden if their name is secret, or their form`, () => {
      assert.equal(withoutMarks(text(given)), expected);
    });

  it('are shown in code that looks similar', () => {
    for (const one of ['where a = $1 and b = $2', 'name: password\ncolour: red'])
      assert.equal(text(one), one);
  });
});

/** Plants secrets everywhere in a request, for tests that then read its record. */

/** A secret, and where in the request it is. */
export interface Planted {
  readonly canary: string;
  readonly location: string;
}

export const planted: Planted[] = [];
/** Creates the next secret: digits and letters in both cases, as from a generator. */
export function plant(location: string, start = 'cAn4Zz9xQ7'): string {
  const canary = `${start}${String(planted.length).padStart(3, '0')}`;
  planted.push({ canary, location });
  return canary;
}

/** Whether a text may contain a secret; all of them have the same prefix. */
export function mayHoldSecret(text: string): boolean {
  return /can4zz9xq7/i.test(text);
}

const names = (
  'password passwd pwd pass passphrase passcode password1 password2 new_password new_password1 password_confirmation passwordHash ' +
  'secret client_secret clientSecret token token2 access_token accessToken refresh_token id_token csrf_token _csrf api_key apiKey apiKey2 ' +
  'api-key X-Api-Key secret_key private_key encryption_key auth authorization credentials signature session sessionid PHPSESSID ' +
  'jwt otp totp pin mfa one_time_code verification_code recovery_code backup_code device_code ticket SAMLResponse client_assertion ' +
  'iban cc_number creditcard card_number cvc cvc2 cvv ssn connection_string dsn mdp kennwort passwort user[password] user.password ' +
  'code_verifier salt seed recoveryPhrase securityAnswer passkey accessCode unlock_code socialSecurityNumber databaseUrl ' +
  'contraseña senha motDePasse mot_de_passe wachtwoord hasło haslo пароль 密码'
).split(' ');
const headers =
  'Authorization Proxy-Authorization Cookie X-Api-Key X-Auth-Token X-Csrf-Token X-Xsrf-Token X-Access-Token X-Amz-Security-Token X-Session-Id X-Secret DPoP X-Honeycomb-Team X-OAuth-Code'.split(
    ' ',
  );

const namesOf = (every: number): string[] => names.filter((_, index) => index % every === 0);

export type Send = { path: string; init: RequestInit };

export function inHeaders(): Send[] {
  const more: [string, string][] = [
    ['Authorization', `Basic ${Buffer.from(`a:${'x'.repeat(4)}`).toString('base64')}${plant('Basic')}`],
    ['Authorization', `Token ${plant('Token')}`],
    ['Cookie', `sid=${plant('cookie')}; theme=${plant('a second cookie')}`],
    ['Cookie', plant('cookie without a name')],
    ['Referer', `http://localhost/?token=${plant('Referer query')}`],
    ['Referer', `http://ada:${plant('Referer user')}@localhost/`],
    ['Sec-WebSocket-Protocol', `bearer, ${plant('WebSocket protocol')}`],
    ['X-Note', `password=${plant('text in a header')}`],
    ['User-Token', plant('User-Token')],
    ['User-Agent', `bot (token=${plant('User-Agent')})`],
    ['If-Match', `"eyJhbGciOiJIUzI1NiJ9.e30.${plant('If-Match')}"`],
    ['Content-Disposition', `form-data; password="${plant('Content-Disposition')}"`],
    ['X-Note', `Authorization: Token ${plant('authorization in a header')}`],
  ];
  return [...headers.map((name): [string, string] => [name, `Bearer ${plant(name)}`]), ...more].map(
    ([name, value]) => ({ path: '/echo', init: { headers: { [name]: value } } }),
  );
}

/** A document whose argument shows that its variable is a secret. */
export const graphql = 'mutation($p: String!) { login(password: $p) { id } }';

/** With `every` n, only each nth name. */
export function inUrls(every = 1): Send[] {
  const jwt = (location: string): string => `eyJhbGciOiJIUzI1NiJ9.e30.${plant(location)}`;
  const paths = [
    ...namesOf(every).map((name) => `/echo?a=1&${encodeURIComponent(name)}=${plant(`query ${name}`)}`),
    `/echo?next=${encodeURIComponent(`/x?token=${plant('query in a query')}`)}`,
    `/echo?a=1&${jwt('bare part of a query')}`,
    `/echo?code=${plant('authorization code')}&state=1`,
    `/echo/${jwt('token in a path')}`,
    `/echo/sk_live_${plant('Stripe key in a path')}`,
    `/reset/${plant('route parameter')}`,
    `/reset/a%20${plant('route parameter with an escape')}`,
    `/reset/${plant('route parameter of a request that fails')}?fail=1`,
    `/missing?token=${plant('query of a miss')}`,
    `/echo?next=${encodeURIComponent(encodeURIComponent(`/x?token=${plant('query in a query, twice encoded')}`))}`,
    `/unknown/reset/${plant('path without a route')}`,
    `/unknown/reset-password/${plant('path of a reset')}`,
    `/unknown/token/${plant('path of a token')}`,
    `/bot123456:${plant('Telegram')}/getMe`,
    `/services/T0A/B0B/${plant('Slack')}`,
    `/password/link?user=ada&hash=${plant('login link')}`,
    `/verify/email/12/${plant('link that verifies an address')}`,
    `/email/verify/12/a1b2c3d4e5?expires=1&signature=${plant('signed link')}`,
    `/accounts/reset/MQ/${plant('reset link with an id')}`,
    ...'assertion id_token_hint SAMLart wresult client_assertion subject_token magic_link oauth_verifier'
      .split(' ')
      .map((name) => `/echo?${name}=${plant(`parameter ${name}`)}`),
    `/echo?query=${encodeURIComponent(graphql)}&variables=${encodeURIComponent(
      JSON.stringify({ p: plant('GraphQL variable in a query') }),
    )}`,
  ];
  return paths.map((path) => ({ path, init: {} }));
}

export function inBodies(every = 1): Send[] {
  const post = (type: string, body: string | Uint8Array<ArrayBuffer>): Send => ({
    path: '/echo',
    init: { method: 'POST', headers: { 'content-type': type }, body },
  });
  const part = (disposition: string, value: string): Send =>
    post(
      'multipart/form-data; boundary=b',
      `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n--b\r\nContent-Disposition: form-data; name="z"\r\n\r\nlast\r\n--b--\r\n`,
    );
  const json = (location: string): string => JSON.stringify({ a: [{ password: plant(location) }] });
  return [
    ...namesOf(every).flatMap((name) => [
      post('application/x-www-form-urlencoded', `a=1&${encodeURIComponent(name)}=${plant(`form ${name}`)}`),
      post('application/json', JSON.stringify({ a: { [name]: plant(`JSON ${name}`) } })),
      part(`name="${name}"`, plant(`multipart ${name}`)),
    ]),
    post('application/json; charset=utf-16le', Uint8Array.from(Buffer.from(json('UTF-16'), 'utf16le'))),
    post('application/json', Uint8Array.from(Buffer.from(json('UTF-16 that is not named'), 'utf16le'))),
    post('application/vnd.api+json', json('+json')),
    post('text/plain', json('JSON of another type')),
    post('text/plain', `token: ${plant('text')}`),
    post('application/json', JSON.stringify({ in: json('JSON in JSON') })),
    post('application/json', `{"token":"${plant('JSON that is cut off')}`),
    post('application/json', `{'password':'${plant('JSON with single quotes')}'}`),
    post('application/json', JSON.stringify([{ name: 'password', value: plant('name beside a value') }])),
    post('application/json', JSON.stringify({ query: graphql, variables: { p: plant('GraphQL variable') } })),
    post(
      'application/json',
      JSON.stringify([
        { query: graphql, variables: JSON.stringify({ p: plant('GraphQL variables as a text') }) },
      ]),
    ),
    post(
      'text/plain',
      JSON.stringify({ in: JSON.stringify({ query: graphql, variables: { p: plant('GraphQL in JSON') } }) }),
    ),
    post(
      'application/json',
      JSON.stringify([{ op: 'add', path: '/a/password', value: plant('JSON Patch') }]),
    ),
    post('application/json', JSON.stringify({ field: 'password', old: plant('old'), new: plant('new') })),
    post('application/json', JSON.stringify([['authorization', plant('pair')]])),
    post('application/json', JSON.stringify({ kty: 'EC', d: plant('private key') })),
    post('text/plain', ` id | password\n----+------\n 1 | ${plant('printed table')}\n`),
    post('application/json', JSON.stringify({ argv: ['--password', plant('option in a list')] })),
    post('text/plain', `db:\n  password: ${plant('YAML')}\n`),
    post('text/html', `<input name="_csrf" value="${plant('HTML')}">`),
    post('application/octet-stream', `\0password=${plant('bytes')}`),
    post('application/xml', `<a><password>${plant('XML')}</password></a>`),
    post('application/xml', `<a><password><![CDATA[${plant('CDATA')}]]></password></a>`),
    post(
      'application/xml',
      `<a><credentials><user>x</user><key>${plant('XML below')}</key></credentials></a>`,
    ),
    ...[
      'NAME="password"',
      'name = "password"',
      "name*=utf-8''password",
      'name="p%61ssword"',
      'name="a\\"password"',
    ].map((disposition) => part(disposition, plant(`multipart ${disposition}`))),
    part('name="password"\r\nX-Long: '.concat('x'.repeat(2000)), plant('multipart with a long line')),
    part(`name="password"${'\r\nX-A: b'.repeat(15)}`, plant('multipart with many lines')),
    part('name="password"', `a\r\n--${plant('multipart value with dashes')}`),
  ];
}

export function inErrorsAndLogs(): Send[] {
  const texts = [
    `password=${plant('message')}`,
    `postgres://u:${plant('URL in a message')}@h/db`,
    `Bearer ${plant('Bearer in a message')}`,
    `Invalid password '${plant('a password that is spoken of')}'`,
    `sent {"client_secret":"${plant('JSON in a message')}"}`,
    `curl -u a:${plant('curl')} http://h/`,
    `ghp_${plant('GitHub')}abcdef`,
    `AKIA${plant('AWS', 'CAN4ZZ9XQ7')}`,
    `insert into "t" ("password_hash") values ('${plant('SQL')}') - UNIQUE constraint failed`,
    `password: ${plant('message that is a pair')}`,
    `login failed: token: ${plant('name after a name')}`,
    `user ada: contraseña: ${plant('Spanish')}`,
    `Command failed: mysqldump --password=${plant('option')} db`,
    `mysqldump --password ${plant('option with a space')} db`,
    `java -Dspring.datasource.password=${plant('property')} -jar app.jar`,
    `authorization: Token ${plant('scheme of GitHub')}`,
    `Authorization: ApiKey ${plant('scheme of Elastic')}`,
    `postgres://u:p@${plant('password with @')}@h/db`,
    `postgres://u:pa/${plant('password with /')}@h/db`,
    `postgres://u:pa#${plant('password with #')}@h/db`,
    `password=a,${plant('password with a comma')}`,
    `password=a;${plant('password with a semicolon')}`,
    `password='it''s ${plant('doubled quotes')}'`,
    `password: "say \\"${plant('escaped quotes')}\\""`,
    `create user me identified by '${plant('identified by')}'`,
    `alter role me password $$${plant('dollars')}$$`,
    `ERR unknown command 'SETT', with args beginning with: 'k' '${plant('arguments of Redis')}'`,
    `No route found for "GET /reset/${plant('path in a message')}"`,
    `https://hooks.slack.com/services/T0A/B0B/${plant('webhook in a message')}`,
    `next=%252Fx%253Ftoken%253D${plant('encoded pair in a message')}`,
    `{'passkey': '${plant('object in a message')}'}`,
    `senha '${plant('Portuguese prose')}' está incorreta`,
    `Key (token)=(${plant('key of PostgreSQL')}) already exists.`,
    `update t set data = json_set(data, '$.password', '${plant('JSON function')}') - failed`,
    `PRAGMA key = "${plant('pragma')}"`,
    `PRAGMA rekey = ${plant('pragma without quotes')}`,
    `ALTER USER bob IDENTIFIED BY "${plant('account in double quotes')}"`,
    `SET PASSWORD FOR 'bob' = PASSWORD("${plant('set password')}")`,
    `with n(password) as (values ('${plant('common table expression')}')) select * from n`,
    `sent ${JSON.stringify({ query: graphql, variables: { p: plant('GraphQL in a message') } })}`,
    `┌─────────┬──────────┐\n│ (index) │ password │\n├─────────┼──────────┤\n│ 0       │ '${plant('console.table')}' │\n└─────────┴──────────┘`,
    `see http://h/password/link?user=ada&hash=${plant('login link in a message')}`,
    `ghs_123456_eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJhIn0.${plant('installation token of GitHub')}`,
  ];
  return texts.flatMap((text) => [
    { path: '/throw', init: { method: 'POST', body: text } },
    { path: '/log', init: { method: 'POST', body: text } },
  ]);
}

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTransport } from 'nodemailer';
import { createApp } from 'lookback';
import { type Catalogue, createCatalogue, createLocale } from 'lookback/locale';
import {
  createLookupUserProvider,
  createPasswords,
  createSecurity,
  formLogin,
  type Voter,
} from 'lookback/security';
import { recordMail } from 'lookback/instrumentation';
import { textOf } from './check-panels.js';

/** The known facts of a request that its panels must show. */
interface Fact {
  readonly path: string;
  readonly panel: string;
  readonly says: readonly RegExp[];
}

const voter: Voter = {
  name: 'authors',
  vote: ({ attribute, subject }) => {
    if (attribute !== 'edit') return { verdict: 'abstain' };
    return subject === 'own'
      ? { verdict: 'grant', reason: 'wrote it' }
      : { verdict: 'deny', reason: 'someone else wrote it' };
  },
};

const facts: readonly Fact[] = [
  {
    path: '/edit/own',
    panel: 'security',
    says: [
      /User ada\b/,
      /Roles ROLE_EDITOR\b/,
      /granted edit string affirmative .*authors: grant \(wrote it\)/,
    ],
  },
  {
    path: '/edit/other',
    panel: 'security',
    says: [/User ada\b/, /refused edit string affirmative .*authors: deny \(someone else wrote it\)/],
  },
  {
    path: '/asks/other',
    panel: 'security',
    says: [/denied edit string affirmative .*authors: deny/],
  },
  {
    path: '/greet',
    panel: 'translation',
    says: [
      /Locale of the request de\b/,
      /Missing (?:1 )?Key.*\bnone\b.*\bde – 3\b/,
      /Shown in another language (?:1 )?Key.*\bbye Goodbye de en 2\b/,
      /Found (?:1 )?Key.*\bhello Hallo de de 1\b/,
    ],
  },
  { path: '/mail', panel: 'mail', says: [/ada@example\.com/, /Your order/, /ENOENT/] },
];

describe('login, decisions, messages and mail in requests with known facts', () => {
  let url = '';
  let cookie = '';
  const catalogue: Catalogue = createCatalogue({
    fallback: 'en',
    messages: { en: { hello: 'Hello', bye: 'Goodbye' }, de: { hello: 'Hallo' } },
  });
  const transport = recordMail(createTransport({ jsonTransport: true }));
  const hash = createPasswords().hash('open sesame');
  const provider = createLookupUserProvider(async (name) =>
    name === 'ada' ? { identifier: name, roles: ['ROLE_EDITOR'], passwordHash: await hash } : undefined,
  );
  const security = createSecurity({
    provider,
    voters: [voter],
    firewalls: [{ name: 'main', authenticators: [formLogin()] }],
  });
  const app = createApp({
    configuration: { env: 'dev', debug: true, profilerStore: 'memory:', host: '127.0.0.1', port: 0 },
    logHandlers: [],
    security,
    locale: createLocale({ enabled: ['en', 'de'] }),
  });
  before(async () => {
    app.get('/edit/{book}', async ({ request, params }) => {
      await security.denyUnlessGranted(request, 'edit', params.book);
      return 'edited';
    });
    app.get('/asks/{book}', async ({ request, params }) =>
      String(await security.isGranted(request, 'edit', params.book)),
    );
    app.get('/login', () => 'Log in');
    app.get('/greet', () =>
      ['hello', 'bye', 'bye', 'none', 'none', 'none'].map((key) => catalogue.text(key)).join(),
    );
    app.get('/mail', async () => {
      await transport.sendMail({
        from: 'shop@example.com',
        to: 'ada@example.com',
        subject: 'Your order',
        text: 'Thanks',
      });
      await assert.rejects(transport.sendMail({ from: 'x', to: 'y', html: { path: '/does/not/exist' } }));
      return 'sent';
    });
    ({ url } = await app.listen());
  });
  after(() => app.close());

  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const answer = await fetch(url + path, {
      ...init,
      redirect: 'manual',
      headers: { 'Accept-Language': 'de', 'Sec-Fetch-Site': 'same-origin', Cookie: cookie },
    });
    for (const field of answer.headers.getSetCookie()) cookie = field.split(';', 1)[0] ?? '';
    return answer;
  };
  const checkPanel = async (token: string, { path, panel, says }: Fact): Promise<void> => {
    await app.profiler?.find(token); // wait until its record is closed
    const html = await (await fetch(`${url}/_profiler/${token}?panel=${panel}`)).text();
    const text = textOf(html.slice(html.indexOf('<main'), html.lastIndexOf('</main>')));
    for (const sentence of says) assert.match(text, sentence, path);
    const markdown = await (await fetch(`${url}/_profiler/${token}.md?panel=${panel}`)).text();
    const plain = markdown.replace(/\\(?=\W)|[`|#>]|-{3}|^- |:(?= `)/gm, '').replace(/<br>|\s+/g, ' ');
    for (const sentence of says) assert.match(plain, sentence, `Markdown of ${path}`);
  };

  it('a login has user, method and authenticator; each later panel has what was sent', async () => {
    const form = (password: string): RequestInit => ({
      method: 'POST',
      body: new URLSearchParams({ _username: 'ada', _password: password }),
    });
    const refused = await ask('/login', form('wrong'));
    await checkPanel(refused.headers.get('x-debug-token') ?? '', {
      path: 'a wrong password',
      panel: 'security',
      says: [/No user was signed in/, /failure/],
    });
    const accepted = await ask('/login', form('open sesame'));
    await checkPanel(accepted.headers.get('x-debug-token') ?? '', {
      path: 'the login',
      panel: 'security',
      says: [/User ada\b/, /success/],
    });
    for (const fact of facts) {
      const answer = await ask(fact.path);
      assert.equal(answer.status, fact.path === '/edit/other' ? 403 : 200, fact.path);
      await checkPanel(answer.headers.get('x-debug-token') ?? '', fact);
    }
  });
});

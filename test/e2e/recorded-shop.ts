import { pbkdf2Sync } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { h } from 'preact';
import { annotate, type App, createApp, HttpResponse } from 'lookback';
import type { ControllerContext } from 'lookback/controller';
import { renderDocument } from 'lookback/html';
import { createCatalogue, createLocale } from 'lookback/locale';
import { dumpValue, startSpan } from 'lookback/profiler';
import { createMemoryUserProvider, createSecurity, formLogin, isGranted } from 'lookback/security';
import { recordMail } from 'lookback/instrumentation';
import { cheapHasher } from '../security/guarded-app.js';

const channels = {
  query: channel('lookback:persistence:query'),
  cache: channel('lookback:cache:command'),
  jobs: channel('lookback:jobs:sent'),
  change: channel('lookback:persistence:change'),
  flush: channel('lookback:persistence:flush'),
  unflushed: channel('lookback:persistence:unflushed'),
};

/** A response, with the properties that the tests need. */
export interface ShopAnswer {
  readonly status: number;
  readonly token: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a request over a socket; header values are bytes, one per character. */
export type AskShop = (
  path: string,
  init?: Readonly<{ method?: string; headers?: Readonly<Record<string, string>>; body?: string }>,
) => Promise<ShopAnswer>;

export interface RecordedShop {
  readonly app: App;
  readonly origin: string;
  readonly ask: AskShop;
  /** A page that uses everything the profiler records, for a visitor who is signed in. */
  readonly visit: (path?: string) => Promise<ShopAnswer>;
  close(): Promise<void>;
}

export interface ShopOptions {
  /** Appears in every field of a record that others can influence; harmless words by default. */
  readonly text?: string;
  readonly store?: string;
}

/** A served application whose requests fill every panel of their records. */
export async function openShop({ text, store = 'memory:' }: ShopOptions = {}): Promise<RecordedShop> {
  const say = (word: string): string => text ?? word;
  const users = createMemoryUserProvider([
    { identifier: say('ada'), roles: ['ROLE_CLERK'], passwordHash: await cheapHasher.hash('ada') },
  ]);
  const main = { name: 'main', authenticators: [formLogin()], logout: true };
  const secret = 'a secret for this test that is long enough';
  const security = createSecurity({ secret, provider: users, hashers: [cheapHasher], firewalls: [main] });
  const catalogue = createCatalogue({
    fallback: 'en',
    messages: { en: { [say('shop.title')]: say('Our products') }, de: {} },
  });
  const app = createApp({
    configuration: { env: 'test', debug: true, profilerStore: store },
    logHandlers: [],
    security,
    locale: createLocale({ enabled: ['en', 'de'] }),
    profiler: {
      budgets: { 'product*': { queries: 5 } },
      sections: [{ id: 'weather', collect: () => ({ [say('sky')]: [{ [say('cloud')]: say('grey') }] }) }],
    },
  });
  const mail = recordMail(createTransport({ jsonTransport: true }));
  let origin = '';

  const askDatabase = (): void => {
    const callSite = [
      { name: say('findAll'), file: `${process.cwd()}/src/${say('journal')}.ts`, line: 154, column: 3 },
    ];
    const ask = (sql: string, more: object = {}): void =>
      channels.query.publish({
        sql,
        params: [say('tea')],
        durationMs: 2,
        rows: 1,
        connection: 'main',
        callSite,
        ...more,
      });
    ask(`select "${say('product')}".* from "product" where "name" = ? order by "${say('price')}" desc`, {
      durationMs: 120,
    });
    for (let at = 0; at < 6; at++) ask('select "stock".* from "stock" where "product" = ?', { params: [at] });
    ask('insert into "visit" ("path") values (?)', { error: new Error(say('no such table: visit')) });
    channels.flush.publish({ durationMs: 1, created: 0, updated: 1, removed: 0 });
    channels.change.publish({
      action: 'update',
      entity: say('Product'),
      id: say('3'),
      values: { [say('name')]: say('tea') },
    });
    channels.unflushed.publish({
      action: 'update',
      entity: say('Basket'),
      id: say('7'),
      fields: [say('count')],
    });
  };
  const callOthers = async (): Promise<void> => {
    await (await fetch(`${origin}/prices/${inUrl(say('tea'))}`)).text();
    const command = { system: 'redis', durationMs: 0.4, startedAt: performance.now(), callSite: [] };
    channels.cache.publish({ ...command, command: 'GET', args: [say('basket:3')], hit: true });
    channels.cache.publish({
      ...command,
      command: 'SET',
      args: [say('basket:4')],
      error: new Error(say('READONLY')),
    });
    const job = { ...command, queue: say('mail'), name: say('welcome'), id: say('12') };
    channels.jobs.publish({ ...job, data: { [say('to')]: say('ada@example.org') } });
    await mail.sendMail({
      from: 'shop@example.org',
      to: `"${say('Ada').replaceAll(/["\\]/g, '')}" <ada@example.org>`,
      subject: say('Welcome'),
      text: say('Hello Ada'),
      html: `<p>${say('Hello Ada')}</p>`,
      attachments: [{ filename: say('bill.pdf'), content: 'bill' }],
    });
  };
  const showProduct = async ({ request, log, params }: ControllerContext): Promise<HttpResponse> => {
    log.info(say('A product is shown'), {
      [say('product')]: say('tea'),
      list: [say('a'), { [say('b')]: 1 }],
    });
    log.channel(say('stock')).warning(say('Only two are left'), { error: new TypeError(say('low')) });
    log.error(say('The price could not be read'));
    dumpValue({ [say('basket')]: [say('tea')] }, say('the basket'));
    askDatabase();
    const span = startSpan(say('load prices'), { [say('currency')]: say('EUR') });
    await callOthers();
    span.end();
    const Products = (): ReturnType<typeof h> =>
      h('h1', null, catalogue.text(say('shop.title')), catalogue.text(say('shop.missing')));
    (await security.session(request)).set(say('last'), params);
    const page = HttpResponse.html(renderDocument(h(Products, {}), { lang: 'en', title: 'Products' }));
    page.headers.set('X-Stock', encodeText(say('two')));
    page.headers.append('Set-Cookie', `seen=${inUrl(say('tea'))}; Path=/`);
    return page;
  };
  app.get('/products/{name}', annotate(showProduct, isGranted.of('ROLE_CLERK')), { name: 'product' });
  app.get('/prices/{name}', () => ({ price: 3, note: say('cheap') }), { name: 'price' });
  app.get('/login', () => HttpResponse.html('<!doctype html><title>Login</title><h1>Login</h1>'));
  app.get(
    '/broken/{name}',
    () => {
      const inner = Object.assign(new TypeError(say('undefined is not a product')), {
        code: say('E_NO'),
        [say('detail')]: say('none'),
      });
      throw new Error(say('The product could not be shown'), {
        cause: new AggregateError([inner, say('a text')], say('All failed')),
      });
    },
    { name: 'broken' },
  );
  app.get('/causes', () => {
    let cause: Error | undefined;
    for (let at = 0; at < 25; at++) cause = new Error(`Cause ${at}: ${say('broken')}`, { cause });
    throw cause;
  });
  app.post('/orders', () =>
    HttpResponse.json({ issues: [{ path: [say('email')], message: say('is no address') }] }, { status: 422 }),
  );
  app.post('/save', () => HttpResponse.redirect('/search', { status: 303 }));
  app.get(
    '/office',
    annotate(() => 'the office', isGranted.of('ROLE_BOSS')),
    { name: 'office' },
  );
  app.get(
    '/search',
    async ({ query }) => {
      const begun = performance.now();
      await setTimeout(Number(query.get('slow') ?? 0)); // stands for a query that takes this long
      const durationMs = performance.now() - begun;
      const callSite = [{ name: 'search', file: `${process.cwd()}/src/search.ts`, line: 12, column: 3 }];
      const sql = 'select * from "product" where "name" like ?';
      channels.query.publish({ sql, params: ['%tea%'], durationMs, rows: 1, connection: 'main', callSite });
      return HttpResponse.html(
        '<!doctype html><html lang="en"><title>Found</title><body><h1>Found</h1></body></html>',
      );
    },
    { name: 'search' },
  );
  app.get('/busy', () => {
    const end = performance.now() + 60;
    let key = pbkdf2Sync('word', 'salt', 1000, 32, 'sha256');
    while (performance.now() < end) key = pbkdf2Sync(key, 'salt', 5000, 32, 'sha256');
    return key.toString('hex');
  });
  app.get('/large', ({ log }) => {
    for (let at = 0; at < 10_000; at++)
      log.info(`Line ${at} of a long log`, { article: at, tags: ['a', 'b'] });
    for (let at = 0; at < 2000; at++)
      channels.query.publish({
        sql: `select a${at % 60}.* from article where id = ?`,
        params: [at],
        durationMs: 0.1,
        rows: 1,
        connection: 'main',
        callSite: [],
      });
    return 'large';
  });
  origin = (await app.listen({ host: '127.0.0.1', port: 0 })).url;
  const ask = askAt(origin);
  let session = '';
  const visit = async (
    path = `/products/${inUrl(say('tea'))}?page=${inUrl(say('2'))}&${inUrl(say('sort'))}=up`,
  ): Promise<ShopAnswer> => {
    if (session === '') session = await logIn(ask, say('ada'));
    const note = encodeText(say('a note'));
    return ask(path, {
      headers: { Cookie: session, Accept: 'text/html', 'X-Note': note, Referer: note, 'User-Agent': note },
    });
  };
  return { app, origin, ask, visit, close: () => app.close() };
}

/** The text as a header value: its UTF-8 bytes, without those that no header may contain. */
function encodeText(text: string): string {
  const bytes = Buffer.from(text).toString('latin1');
  // oxlint-disable-next-line no-control-regex -- these must not be sent
  return bytes.replaceAll(/[\x00-\x1f\x7f]/g, '');
}

/** The text as part of a path: without NUL, which no path may contain. */
function inUrl(text: string): string {
  return encodeURIComponent(text.replaceAll('\0', '').toWellFormed());
}

async function logIn(ask: AskShop, name: string): Promise<string> {
  const body = new URLSearchParams({ _username: name, _password: 'ada' }).toString();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' };
  const answer = await ask('/login', { method: 'POST', headers, body });
  return (answer.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';', 1)[0]).join('; ');
}

function askAt(origin: string): AskShop {
  return (path, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const sent = httpRequest(origin + path, { method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            token: String(response.headers['x-debug-token'] ?? ''),
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      });
      sent.on('error', reject).end(body);
    });
}

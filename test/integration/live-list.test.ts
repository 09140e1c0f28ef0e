import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { createApp, type RunningServer } from 'lookback';
import { launchBrowser } from '../e2e/launch-browser.js';

let server: RunningServer;
let origin = '';

before(async () => {
  const app = createApp({
    configuration: { debug: true, profilerStore: 'memory:', port: 0, host: '127.0.0.1' },
    logHandlers: [{ minLevel: 'error', handle: () => undefined }],
  });
  app.get('/say/{what}', ({ params }) => `said ${params.what}`);
  server = await app.listen();
  origin = `http://127.0.0.1:${server.port}`;
});
after(() => server.close());

/** An open stream: its text so far, and a way to wait for more. */
class Stream {
  text = '';
  readonly #response: IncomingMessage;
  readonly ended: Promise<void>;

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
    this.ended = new Promise((resolve) => response.once('close', () => resolve()));
  }

  get status(): number {
    return this.#response.statusCode ?? 0;
  }

  get headers(): IncomingMessage['headers'] {
    return this.#response.headers;
  }

  async has(words: string): Promise<void> {
    while (!this.text.includes(words))
      await new Promise<void>((resolve, reject) => {
        this.#response.once('data', () => resolve());
        this.#response.once('close', () => reject(new Error(`ended before ${words}: ${this.text}`)));
      });
  }

  get lastId(): string {
    return [...this.text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '';
  }

  leave(): void {
    this.#response.destroy();
  }
}

function open(target: string, headers: Record<string, string> = {}): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(origin + target, { headers, agent: false }, (response) =>
      resolve(new Stream(response)),
    );
    asked.once('error', reject).end();
  });
}

async function positionNow(): Promise<string> {
  const page = await (await fetch(`${origin}/_profiler/`)).text();
  return /data-position="([^"]+)"/.exec(page)?.[1] ?? assert.fail('the list has no position');
}

const say = async (what: string): Promise<string> => (await fetch(`${origin}/say/${what}`)).text();
const live = (position: string, query = ''): string =>
  `/_profiler/live?${query}position=${encodeURIComponent(position)}`;
const countOf = (text: string, part: string): number => text.split(part).length - 1;

describe('the live list', () => {
  it('sends a row once, resumes after the last event without gaps or duplicates, and filters', async () => {
    const position = await positionNow();
    await say('before');
    const first = await open(live(position));
    assert.equal(first.headers['content-type'], 'text/event-stream');
    await first.has('/say/before');
    await say('first');
    await first.has('/say/first');
    first.leave();
    await first.ended;
    await say('meanwhile');
    await say('meanwhile-too');
    const second = await open(live(position), { 'Last-Event-ID': first.lastId });
    const filtered = await open(live(position, 'q=say%2Flast&'));
    await say('last');
    await second.has('/say/last');
    await filtered.has('/say/last');
    const both = first.text + second.text;
    for (const what of ['before', 'first', 'meanwhile', 'meanwhile-too', 'last'])
      assert.equal(countOf(both, `/say/${what}<`), 1, what);
    assert.doesNotMatch(filtered.text, /say\/(?:before|first|meanwhile)/);
    assert.doesNotMatch(both, /_profiler\/live/);
    second.leave();
    filtered.leave();
    await Promise.all([second.ended, filtered.ended]);
  });

  it('reports where rows may be missing, and refuses unknown filters and a missing position', async () => {
    const lost = await open(live('no-such-position'));
    await lost.has('event: gap');
    lost.leave();
    assert.equal((await fetch(`${origin}${live(await positionNow(), 'nope=1&')}`)).status, 400);
    assert.equal((await fetch(`${origin}/_profiler/live`)).status, 400);
  });

  it('in a browser, adds each new row once at the top, and none while paused', async () => {
    const browser = await launchBrowser();
    const page = await browser.newPage();
    try {
      await say('seen');
      const faults: string[] = [];
      page.on('pageerror', ({ message }) => faults.push(message));
      await page.goto(`${origin}/_profiler/`);
      const row = (what: string): ReturnType<typeof page.locator> =>
        page.locator('a[data-row]', { hasText: new RegExp(`^/say/${what}$`) });
      const button = page.getByRole('button', { name: 'Live' });
      await page.keyboard.press('f');
      assert.equal(await button.getAttribute('aria-pressed'), 'true');
      await say('one');
      await row('one').waitFor();
      assert.match((await page.locator('[data-row]').first().textContent()) ?? '', /say\/one/);
      assert.match((await page.locator('[data-live] output').textContent()) ?? '', /new request/);
      await button.click();
      assert.equal(await button.getAttribute('aria-pressed'), 'false');
      await say('two');
      assert.equal(await row('two').count(), 0);
      await button.click();
      await row('two').waitFor();
      for (const what of ['seen', 'one', 'two']) assert.equal(await row(what).count(), 1, what);
      assert.deepEqual(faults, []);
    } finally {
      await page.close();
    }
  });

  it('has a limited number of followers, and ends with the server', async () => {
    const position = await positionNow();
    const followers: Stream[] = [];
    let refused: Stream | undefined;
    while (refused === undefined && followers.length < 40) {
      const next = await open(live(position));
      if (next.status === 200) followers.push(next);
      else refused = next;
    }
    assert.equal(refused?.status, 503);
    assert.equal(refused.headers['retry-after'], '30');
    assert.ok(followers.length >= 18 && followers.length <= 20, String(followers.length));
    await server.close();
    await Promise.all(followers.map(({ ended }) => ended));
  });
});

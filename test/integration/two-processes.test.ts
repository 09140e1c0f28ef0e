import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startService, type Service } from '../contract/service.js';
import { ask, type WireResponse } from '../contract/wire-client.js';

const articles = ['reading-a-stack-trace', 'two-windows-two-languages'] as const;

/** A browser window in which an editor has logged in. */
interface Window {
  get(path: string): Promise<WireResponse>;
  post(path: string, form: Readonly<Record<string, string>>): Promise<WireResponse>;
}

async function openWindow({ url }: Service): Promise<Window> {
  let cookie = '';
  const window: Window = {
    get: (path) => ask(url, path, { headers: { Cookie: cookie } }),
    post: (path, form) =>
      ask(url, path, {
        method: 'POST',
        headers: { Cookie: cookie, Origin: url, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      }),
  };
  const login = await window.post('/en/login', { _username: 'editor', _password: 'editor' });
  assert.equal(login.status, 302);
  cookie = (login.headers.get('set-cookie') ?? []).map((one) => one.split(';')[0]).join('; ');
  return window;
}

/** Edits and comments on one article after another; returns the statuses of saving and of commenting. */
async function work(window: Window, name: string): Promise<{ saved: number[]; commented: number[] }> {
  const saved: number[] = [];
  const commented: number[] = [];
  for (let round = 0; round < 8; round++) {
    const slug = articles[round % 2] ?? '';
    const path = `/en/articles/${slug}`;
    const form = await window.get(`${path}/edit`);
    assert.equal(form.status, 200);
    const hidden = [...form.body.matchAll(/type="hidden" name="(article|basis)" value="(\d+)"/g)];
    const text = {
      title: slug.replaceAll('-', ' '),
      body: `Long enough, by ${name} in round ${round}.`,
    };
    const fields = Object.fromEntries(hidden.map(([, key = '', value = '']) => [key, value]));
    const save = await window.post(`${path}/edit`, { ...fields, ...text });
    saved.push(save.status);
    if (save.status === 409) assert.match(save.body, /saved a different text while you were writing/);
    commented.push((await window.post(`${path}/comments`, { text: `By ${name} in ${round}` })).status);
  }
  return { saved, commented };
}

describe('two processes of the journal on one SQLite file', () => {
  let folder: string;
  let services: readonly Service[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lookback-two-'));
    const variables = { DEMO_FOLDER: folder, PROFILER_STORE: 'memory:' };
    // Both find no file, and compete to create its tables and fill them.
    services = await Promise.all([startService(variables), startService(variables)]);
  });
  after(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await rm(folder, { recursive: true, force: true });
  });

  it('write at the same time without an error, and report conflicting edits', async () => {
    const windows = await Promise.all([...services, ...services].map(openWindow));
    const answers = await Promise.all(windows.map((window, n) => work(window, `window ${n}`)));
    const saved = answers.flatMap((answer) => answer.saved);
    assert.deepEqual(
      saved.filter((status) => status !== 303 && status !== 409),
      [],
    );
    assert.ok(saved.includes(303), 'somebody saved');
    const commented = answers.flatMap((answer) => answer.commented);
    assert.deepEqual(new Set(commented), new Set([303]));
    const pages = await Promise.all(windows.map((window) => window.get(`/en/articles/${articles[0]}`)));
    const counts = pages.map(({ body }) => body.match(/By window \d in \d/g)?.length);
    assert.deepEqual(counts, [16, 16, 16, 16], 'both processes show all comments');
  });
});

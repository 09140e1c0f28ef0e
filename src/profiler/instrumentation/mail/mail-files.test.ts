import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createTransport } from 'nodemailer';
import { mailFiles } from './mail-files.js';
import { recordMail } from './nodemailer.js';

describe('mails in files', () => {
  const parent = mkdtempSync(join(tmpdir(), 'lookback-mail-'));
  after(() => rmSync(parent, { recursive: true, force: true }));
  const link = 'http://127.0.0.1:8000/en/verify/HkhC3bj96HcBKK3wDogOk9JyJH-jDDHh4ELMMr3HMQI';
  const mail = {
    from: { name: 'Shop', address: 'shop@example.org' },
    to: ['a@example.org', 'b@example.org'],
    subject: 'Verify',
    text: `Confirm: ${link}`,
    html: `<a href="${link}">Confirm</a>`,
    attachments: [{ filename: 'terms.pdf', content: Buffer.from('%PDF') }],
  };

  it('contain text and HTML unredacted, and are readable only by their user', async () => {
    const folder = join(parent, 'clear');
    const mailer = recordMail(createTransport(mailFiles({ folder })));
    const sent = await mailer.sendMail(mail);
    assert.equal(
      readFileSync(sent.path, 'utf8').replace(/html: .+\.html/, 'html: its file'),
      `from: Shop <shop@example.org>\nto: a@example.org, b@example.org\nsubject: Verify\nhtml: its file\nattachments: terms.pdf\n\nConfirm: ${link}\n`,
    );
    assert.equal(readFileSync(sent.path.replace('.txt', '.html'), 'utf8'), mail.html);
    if (process.platform === 'win32') return;
    assert.equal(statSync(sent.path).mode & 0o777, 0o600);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

  it('are limited to the newest ones, without removing other files', async () => {
    const folder = join(parent, 'bounded');
    const mailer = createTransport(mailFiles({ folder, keep: 2 }));
    await mailer.sendMail({ ...mail, subject: 'first' });
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    for (const subject of ['second', 'third']) await mailer.sendMail({ ...mail, subject });
    const names = readdirSync(folder);
    assert.equal(names.length, 5, names.join());
    const texts = names
      .filter((name) => name.endsWith('.txt'))
      .map((name) => readFileSync(join(folder, name), 'utf8'));
    assert.ok(texts.includes('mine') && !texts.some((text) => text.includes('subject: first')));
  });

  it('fail like an unsent mail if the folder is not writable', async () => {
    const file = join(parent, 'no-folder');
    writeFileSync(file, '');
    await assert.rejects(createTransport(mailFiles({ folder: file })).sendMail(mail), /EEXIST|ENOTDIR/);
  });

  it('are refused in production unless allowed', () => {
    const { APP_ENV, NODE_ENV } = process.env;
    try {
      for (const [variables, isRefused] of [
        [{ APP_ENV: 'prod' }, true],
        [{ NODE_ENV: 'production' }, true],
        [{ APP_ENV: 'dev', NODE_ENV: 'production' }, false],
        [{ NODE_ENV: 'test' }, false],
      ] as const) {
        delete process.env['APP_ENV'];
        delete process.env['NODE_ENV'];
        Object.assign(process.env, variables);
        if (isRefused) assert.throws(() => mailFiles(), { code: 'MAIL_FILES_PRODUCTION' });
        else assert.doesNotThrow(() => mailFiles());
        assert.doesNotThrow(() => mailFiles({ isAllowedInProduction: true }));
      }
    } finally {
      delete process.env['APP_ENV'];
      delete process.env['NODE_ENV'];
      if (APP_ENV !== undefined) process.env['APP_ENV'] = APP_ENV;
      if (NODE_ENV !== undefined) process.env['NODE_ENV'] = NODE_ENV;
    }
  });
});

import { mkdir, readdir, unlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { callbackify } from 'node:util';
import { defineErrorCodes, type ErrorCodes } from '#core/coded-error';
import { writeQuietly } from '#core/log';
import { flag, type OptionsSchema, optionsWithDefaults, readOptions, filledText, whole } from '#core/options';
import { fieldOf } from '../source/fields.js';

const table = {
  MAIL_FILES_PRODUCTION: {
    message:
      'mailFiles() writes mail to files instead of sending it, but this is production ({environment}).',
    fix: 'Send mail over SMTP in production. If you do want files, pass isAllowedInProduction: true.',
  },
} as const;

export const mailFileErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

export interface MailFilesOptions {
  /** Folder of the files, readable only by this user. Default `var/mail`. */
  readonly folder?: string;
  /** Number of mails to keep; the oldest are removed. Default 100. */
  readonly keep?: number;
  /** Whether `mailFiles` may run outside of development and tests, where it otherwise throws. Default false. */
  readonly isAllowedInProduction?: boolean;
}

export const mailFilesSchema: OptionsSchema<MailFilesOptions, 'folder' | 'keep' | 'isAllowedInProduction'> =
  optionsWithDefaults<MailFilesOptions, 'folder' | 'keep' | 'isAllowedInProduction'>(
    { folder: filledText, keep: whole({ min: 1, max: 10_000 }), isAllowedInProduction: flag },
    { folder: 'var/mail', keep: 100, isAllowedInProduction: false },
  );

/** A mail as nodemailer passes it to a transport. */
interface ComposedMail {
  normalize(done: (error: Error | null, mail?: object) => void): void;
  readonly message: { getEnvelope(): unknown; messageId(): string };
}

/** The `sendMail` result for a mail written to a file. */
export interface FiledMail {
  readonly envelope: unknown;
  readonly messageId: string;
  /** Absolute path to its text file. */
  readonly path: string;
}

/** A nodemailer transport. */
export interface MailFiles {
  readonly name: string;
  readonly version: string;
  send(mail: ComposedMail, done: (error: Error | null, sent?: FiledMail) => void): void;
}

/**
 * A nodemailer transport for development. It sends nothing, but writes each mail unredacted to `var/mail`, as text
 * (`.txt`) and HTML (`.html`), and prints the file name on stderr. In a request's record, secrets in its mails are
 * redacted; a confirmation link can be opened from the file. Throws `MAIL_FILES_PRODUCTION` in production unless
 * allowed.
 */
export function mailFiles(options: MailFilesOptions = {}): MailFiles {
  const { folder, keep, isAllowedInProduction } = readOptions('mailFiles()', options, mailFilesSchema);
  const environment = productionName();
  if (environment !== undefined && !isAllowedInProduction)
    throw mailFileErrors.create('MAIL_FILES_PRODUCTION', { environment });
  const target = resolve(folder);
  return {
    name: 'lookback mail files',
    version: '1',
    send(composed, done) {
      composed.normalize((error, mail) => {
        if (error !== null || mail === undefined) return done(error ?? new Error('The mail is empty.'));
        const sent = { envelope: composed.message.getEnvelope(), messageId: composed.message.messageId() };
        callbackify(async () => ({ ...sent, path: await writeMail(mail, target, keep) }))(done);
      });
    },
  };
}

/** Returns the variable that indicates production; undefined in development and tests. */
function productionName(): string | undefined {
  const { APP_ENV, NODE_ENV } = process.env;
  const [name, value] = (APP_ENV ?? '') === '' ? ['NODE_ENV', NODE_ENV ?? ''] : ['APP_ENV', APP_ENV];
  return ['', 'dev', 'development', 'test'].includes(value ?? '') ? undefined : `${name} is ${value}`;
}

let count = 0; // per process: different names for mails in the same millisecond

/** Writes a mail and returns the path to its text. */
async function writeMail(mail: object, folder: string, keep: number): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stem = `${new Date().toISOString().replaceAll(':', '-')}-${process.pid}-${count++}`;
  const path = join(folder, `${stem}.txt`);
  const html = textOf(fieldOf(mail, 'html'));
  if (html !== '') await writeFile(join(folder, `${stem}.html`), html, { flag: 'wx', mode: 0o600 });
  await writeFile(path, asText(mail, html === '' ? '' : `${stem}.html`), { flag: 'wx', mode: 0o600 });
  writeQuietly(() => process.stderr.write(`lookback: a mail was written to ${path}\n`));
  await removeOldest(folder, keep);
  return path;
}

/** Renders a mail for people: its fields, its text, and the names of its attachments. */
function asText(mail: object, htmlFile: string): string {
  const attachments = fieldOf(mail, 'attachments');
  const names = Array.isArray(attachments) ? attachments.map((one) => textOf(fieldOf(one, 'filename'))) : [];
  const fields = [
    ...(['from', 'to', 'cc', 'bcc'] as const).map(
      (name) => [name, addressesOf(fieldOf(mail, name)).join(', ')] as const,
    ),
    ['subject', textOf(fieldOf(mail, 'subject'))] as const,
    ['html', htmlFile] as const,
    ['attachments', names.join(', ')] as const,
  ];
  const head = fields.filter(([, value]) => value !== '').map(([name, value]) => `${name}: ${value}`);
  return `${head.join('\n')}\n\n${textOf(fieldOf(mail, 'text'))}\n`;
}

function addressesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(addressesOf);
  if (typeof value === 'string') return [value];
  const [name, address] = [textOf(fieldOf(value, 'name')), textOf(fieldOf(value, 'address'))];
  if (address === '') return [];
  return [name === '' ? address : `${name} <${address}>`];
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : '';
}

const ownFile = /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-\d+-\d+)\.(?:txt|html)$/;

/** Removes the oldest mails beyond a number, but no other files. */
async function removeOldest(folder: string, keep: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => ownFile.test(name));
  const stems = [...new Set(names.map((name) => ownFile.exec(name)?.[1] ?? ''))].sort();
  const gone = new Set(stems.slice(0, Math.max(0, stems.length - keep)));
  for (const name of names)
    if (gone.has(ownFile.exec(name)?.[1] ?? '')) await unlink(join(folder, name)).catch(() => undefined); // another process has removed it
}

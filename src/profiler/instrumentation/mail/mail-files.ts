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
      'mailFiles() keeps mails in files, where no receiver gets them, but this is production ({environment}).',
    fix: 'Send mails by SMTP in production; or pass isAllowedInProduction: true, if the files are what you want.',
  },
} as const;

export const mailFileErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

export interface MailFilesOptions {
  /** Folder of the files, which only this user may read. Default `var/mail`. */
  readonly folder?: string;
  /** Number of mails that are kept; the oldest are removed. Default 100. */
  readonly keep?: number;
  /** Default false: outside of development and tests, `mailFiles` throws. */
  readonly isAllowedInProduction?: boolean;
}

export const mailFilesSchema: OptionsSchema<MailFilesOptions, 'folder' | 'keep' | 'isAllowedInProduction'> =
  optionsWithDefaults<MailFilesOptions, 'folder' | 'keep' | 'isAllowedInProduction'>(
    { folder: filledText, keep: whole({ min: 1, max: 10_000 }), isAllowedInProduction: flag },
    { folder: 'var/mail', keep: 100, isAllowedInProduction: false },
  );

/** A mail as nodemailer hands it to a transport. */
interface ComposedMail {
  normalize(done: (error: Error | null, mail?: object) => void): void;
  readonly message: { getEnvelope(): unknown; messageId(): string };
}

/** What `sendMail` gives for a mail that was written to a file. */
export interface FiledMail {
  readonly envelope: unknown;
  readonly messageId: string;
  /** The absolute path of its text. */
  readonly path: string;
}

/** A transport of nodemailer. */
export interface MailFiles {
  readonly name: string;
  readonly version: string;
  send(mail: ComposedMail, done: (error: Error | null, sent?: FiledMail) => void): void;
}

/**
 * A transport of nodemailer for development: it sends nothing, writes each mail to `var/mail`, in clear, as a text (`.txt`)
 * and as its HTML (`.html`), and names the file on the standard error. The record of a request has secrets of its mails
 * redacted; a link of confirmation can be opened from the file. Throws `MAIL_FILES_PRODUCTION`.
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

/** The variable that says that this is production; undefined in development and tests. */
function productionName(): string | undefined {
  const { APP_ENV, NODE_ENV } = process.env;
  const [name, value] = (APP_ENV ?? '') === '' ? ['NODE_ENV', NODE_ENV ?? ''] : ['APP_ENV', APP_ENV];
  return ['', 'dev', 'development', 'test'].includes(value ?? '') ? undefined : `${name} is ${value}`;
}

let count = 0; // of this process: mails of one millisecond have different names

/** Writes a mail and returns the path of its text. */
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

/** Renders a mail for people: its fields, its text, and the names of what belongs to it. */
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

/** Removes the oldest mails beyond a number, and no file of anyone else. */
async function removeOldest(folder: string, keep: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => ownFile.test(name));
  const stems = [...new Set(names.map((name) => ownFile.exec(name)?.[1] ?? ''))].sort();
  const gone = new Set(stems.slice(0, Math.max(0, stems.length - keep)));
  for (const name of names)
    if (gone.has(ownFile.exec(name)?.[1] ?? '')) await unlink(join(folder, name)).catch(() => undefined); // another process has removed it
}

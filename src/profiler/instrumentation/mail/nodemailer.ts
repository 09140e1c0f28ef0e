import { channel } from 'node:diagnostics_channel';
import { replaceMethod } from '#core/patches';
import { followCall } from '../source/listen-to.js';
import { fieldOf } from '../source/fields.js';
import { type Moment, publishAt, takeMoment } from '../source/moment.js';
import { recordTarget, instrumentByMethod } from '../source/targets.js';

const messages = channel('lookback:mail:message');

/**
 * Adds the mail that a nodemailer transporter sends to the current request's record, with a preview; returns the
 * transporter. Not needed if nodemailer was loaded with `require`.
 */
export function recordMail<Transport extends object>(transport: Transport): Transport {
  return recordTarget(transport, instrumentByMethod({ sendMail: instrumentMail }), {
    function: 'recordMail',
    known: 'a transport from nodemailer’s createTransport()',
  });
}

/** Instruments a nodemailer transporter, or its prototype. Reports a mail when it has been sent or has failed. */
export function instrumentMail(transport: object): (() => void) | undefined {
  return replaceMethod(transport, 'sendMail', (former, args, self) => {
    const moment = messages.hasSubscribers ? takeMoment() : undefined;
    if (moment === undefined) return Reflect.apply(former, self, args);
    const [mail] = args;
    return followCall(args, (given) => Reflect.apply(former, self, given), {
      done: (info) => publish(moment, { mail, info }),
      failed: (error) => publish(moment, { mail, error }),
    });
  });
}

function publish(
  moment: Moment,
  { mail, info, error }: { mail: unknown; info?: unknown; error?: unknown },
): void {
  const field = (name: string): unknown => fieldOf(mail, name);
  const attachments = field('attachments');
  publishAt(moment, messages, () => ({
    from: addressesOf(field('from')),
    to: addressesOf(field('to')),
    cc: addressesOf(field('cc')),
    bcc: addressesOf(field('bcc')),
    subject: field('subject'),
    text: contentOf(field('text')),
    html: contentOf(field('html')),
    attachments: Array.isArray(attachments) ? attachments.map(attachmentOf) : [],
    messageId: fieldOf(info, 'messageId'),
    error,
  }));
}

/** Returns addresses as texts, from `{ name, address }` objects, texts, and lists of them. */
function addressesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(addressesOf);
  if (typeof value === 'string') return [value];
  const address = fieldOf(value, 'address');
  if (typeof address !== 'string') return [];
  const name = fieldOf(value, 'name');
  return [typeof name === 'string' && name !== '' ? `${name} <${address}>` : address];
}

/** Returns text or bytes as text. Streams and files are left for nodemailer to read. */
function contentOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : undefined;
}

function attachmentOf(value: unknown): object {
  const content = fieldOf(value, 'content');
  const bytes =
    typeof content === 'string'
      ? Buffer.byteLength(content)
      : content instanceof Uint8Array
        ? content.byteLength
        : undefined;
  return {
    name: fieldOf(value, 'filename') ?? fieldOf(value, 'path') ?? fieldOf(value, 'href') ?? '',
    type: fieldOf(value, 'contentType') ?? '',
    bytes,
  };
}

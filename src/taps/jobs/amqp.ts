import { channel } from 'node:diagnostics_channel';
import { replaceMethod, type Undo } from '#patches';
import { reportAsOne } from '#scope';
import { fieldOf } from '../source/fields.js';
import { runAtMoment, takeMoment } from '../source/moment.js';

const sent = channel('lookback:jobs:sent');

/** Taps the prototype of a channel of amqplib: messages that a request publishes are among its jobs. */
export function tapAmqpChannel(prototype: object): Undo | undefined {
  if (!Object.hasOwn(prototype, 'publish')) return undefined;
  return replaceMethod(prototype, 'publish', (former, args, self) => {
    const publish = (): unknown => Reflect.apply(former, self, args);
    const moment = sent.hasSubscribers ? takeMoment() : undefined;
    if (moment === undefined) return publish();
    const [exchange, routingKey, content, options] = args;
    const result = reportAsOne(publish); // a channel with confirmations calls the one of its parent class
    runAtMoment(moment, () =>
      sent.publish({
        queue: exchange === '' ? routingKey : exchange,
        name: routingKey,
        data: readContent(content),
        id: fieldOf(options, 'messageId'),
        startedAt: moment.startedAt,
        durationMs: performance.now() - moment.startedAt,
        callSite: moment.callSite(),
      }),
    );
    return result;
  });
}

const maxContent = 65_536;

/** Returns the content of a message: parsed if it is JSON, as text if it is short, otherwise its bytes. */
function readContent(content: unknown): unknown {
  if (!(content instanceof Uint8Array) || content.length > maxContent) return content;
  const text = Buffer.from(content).toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

import { channel } from 'node:diagnostics_channel';
import { safely } from '#core/coded-error';
import { replaceMethod, type Undo } from '#core/patches';
import { deepField, fieldOf } from '../source/fields.js';
import { followOperation } from '../source/moment.js';
import { jobTraceparent, runJob } from './run-job.js';

const sent = channel('lookback:jobs:sent');

/** Instruments the prototype of amqplib's channels: messages published by a request are listed among its jobs. */
export function instrumentAmqpChannel(prototype: object): Undo | undefined {
  return Object.hasOwn(prototype, 'publish') ? instrumentPublish(prototype, (options) => options) : undefined;
}

/**
 * Instruments one channel: messages it delivers are recorded as jobs, in the trace of the request that published them.
 */
export function instrumentAmqpJobs(given: object): void {
  instrumentPublish(given, withTrace);
  replaceMethod(given, 'dispatchMessage', (former, args, self) => {
    const [fields, message] = args;
    const consume = (): unknown => Reflect.apply(former, self, args);
    if (typeof message !== 'object' || message === null) return consume(); // the server has cancelled the consumer
    const properties = fieldOf(message, 'properties');
    const about = {
      ...addressOf(fieldOf(fields, 'exchange'), fieldOf(fields, 'routingKey')),
      id: fieldOf(properties, 'messageId'),
      attempt: fieldOf(fields, 'redelivered') === true ? 2 : 1,
      data: readContent(fieldOf(message, 'content')),
      traceparent: deepField(properties, 'headers', 'traceparent'),
    };
    return runJob(about, consume);
  });
}

function instrumentPublish(target: object, change: (options: unknown) => unknown): Undo | undefined {
  return replaceMethod(
    target,
    'publish',
    (former, [exchange, routingKey, content, options, ...rest], self) => {
      const given = [exchange, routingKey, content, change(options), ...rest];
      // A confirm channel calls its parent class's method.
      return followOperation(
        sent,
        () => Reflect.apply(former, self, given),
        ({ error }) => ({
          ...addressOf(exchange, routingKey),
          data: readContent(content),
          id: fieldOf(options, 'messageId'),
          error,
        }),
      );
    },
  );
}

/** Adds the current request's trace to a message's headers, unless they have one. */
function withTrace(options: unknown): unknown {
  const traceparent = jobTraceparent();
  const headers = fieldOf(options, 'headers');
  if (traceparent === undefined || fieldOf(headers, 'traceparent') !== undefined) return options;
  return { ...(options as object | undefined), headers: { ...(headers as object | undefined), traceparent } }; // objects or undefined
}

/** The default exchange has no name, and its routing key is the queue name. */
function addressOf(
  exchange: unknown,
  routingKey: unknown,
): { readonly queue: string; readonly name: string } {
  return { queue: String(exchange === '' ? routingKey : exchange), name: String(routingKey) };
}

const maxContent = 65_536;

/** Returns a message's content: parsed if it is JSON, otherwise as text; large content as bytes. */
function readContent(content: unknown): unknown {
  if (!(content instanceof Uint8Array) || content.length > maxContent) return content;
  const text = Buffer.from(content).toString();
  return safely<unknown, string>(() => JSON.parse(text), text);
}

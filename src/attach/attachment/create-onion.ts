import type { HttpResponse } from '#http';
import type { AttachOptions } from '../watch/attach-options.js';
import type { Exchange } from '../watch/exchange.js';
import type { ForeignRequest, ForeignResponse } from '../watch/foreign-message.js';
import { attachmentOf } from './attachment.js';
import { type Detachable, makeDetachable } from './detachable.js';

/** What differs between frameworks whose middleware awaits `next`. */
export interface OnionFramework<Context> {
  /** Node's own messages; undefined where another server stands below. */
  messagesOf(context: Context): { incoming: ForeignRequest; outgoing: ForeignResponse } | undefined;
  /** Answers with a response of ours, as what the middleware returns or directly. */
  answer(context: Context, response: HttpResponse): unknown;
  /** Goes on, with the time of each middleware noted. */
  follow(context: Context, next: Next): Promise<unknown>;
  /** What the framework has caught and answered itself. */
  caught?(context: Context): unknown;
  /** Notes route and handler, once they are known. */
  note(exchange: Exchange, context: Context): void;
  /** Leaves it as it was. */
  restore?(): void;
}

export type Next = () => Promise<unknown>;
/** A middleware around the rest. */
export type Onion<Context> = ((context: Context, next: Next) => Promise<unknown>) & Detachable;

/** The middleware of Koa, Hono and h3: records what is inside of it, and answers for the profiler's pages. */
export function createOnion<Context>(
  options: AttachOptions | undefined,
  framework: OnionFramework<Context>,
): Onion<Context> {
  const attachment = attachmentOf(options);
  let isAttached = attachment.isEnabled;
  const onion = async (context: Context, next: Next): Promise<unknown> => {
    const messages = isAttached ? framework.messagesOf(context) : undefined;
    if (messages === undefined) return next();
    const opened = attachment.open(messages.incoming, messages.outgoing);
    if ('page' in opened) return framework.answer(context, await opened.page());
    const { exchange } = opened;
    if (exchange === undefined) return next();
    let thrown: unknown;
    try {
      const result = await exchange.run(() => framework.follow(context, next));
      thrown = framework.caught?.(context);
      if (thrown === undefined) return result;
    } catch (error) {
      thrown = error;
    } finally {
      framework.note(exchange, context);
    }
    exchange.error(thrown);
    const page = await attachment.errorPage(exchange, thrown);
    if (page !== undefined) return framework.answer(context, page);
    if (framework.caught === undefined) throw thrown;
    return undefined;
  };
  return makeDetachable(onion, attachment, () => {
    isAttached = false;
    framework.restore?.();
  });
}

import { isCodedError } from '#core/coded-error';
import type { HttpResponse } from '#core/http';
import { checkPackage, type PackageName } from '#core/patches';
import type { AttachOptions } from '../watch/attach-options.js';
import type { Exchange } from '../watch/exchange.js';
import type { ForeignRequest, ForeignResponse } from '../watch/foreign-message.js';
import { attachmentOf, type Detachable, makeDetachable } from './attachment.js';

export interface NodeMessages {
  readonly incoming: ForeignRequest;
  readonly outgoing: ForeignResponse;
}

/** Framework-specific parts for frameworks whose middleware awaits `next`. */
export interface OnionFramework<Context> {
  /** Packages whose versions are checked if there are no Node messages. */
  readonly packages: readonly PackageName[];
  /** Returns Node's messages; undefined if the application does not run on Node's server. */
  messagesOf(context: Context): NodeMessages | undefined;
  /** Responds with the given response: sends it, or returns the value that the middleware must return. */
  answer(context: Context, response: HttpResponse): unknown;
  /** Calls the remaining middleware and records each one's time. */
  follow(context: Context, next: Next): Promise<unknown>;
  /** Returns an error that the framework caught and answered itself. */
  caught?(context: Context): unknown;
  /** Records route and handler. Called after the request was handled. */
  note(exchange: Exchange, context: Context): void;
}

type Next = () => Promise<unknown>;
/** A middleware that wraps all later ones. */
type Onion<Context> = ((context: Context, next: Next) => Promise<unknown>) & Detachable;

/** Creates the middleware for Koa, Hono and h3, which records everything it wraps and serves the profiler's pages. */
export function createOnion<Context>(
  options: AttachOptions | undefined,
  framework: OnionFramework<Context>,
): Onion<Context> {
  const attachment = attachmentOf(options);
  let isChecked = false;
  const onion = async (context: Context, next: Next): Promise<unknown> => {
    const messages = framework.messagesOf(context);
    if (messages === undefined) {
      if (!isChecked) reportVersions(framework.packages);
      isChecked = true;
      return (next as Next | undefined)?.(); // h3 1 passes none
    }
    const opened = attachment.open(messages.incoming, messages.outgoing);
    if ('page' in opened) return framework.answer(context, await opened.page());
    const { exchange } = opened;
    if (exchange === undefined) return next();
    let thrown: unknown;
    let isAnswered = false; // the framework has caught the error itself
    try {
      const result = await exchange.run(() => framework.follow(context, next));
      thrown = framework.caught?.(context);
      if (thrown === undefined) return result;
      isAnswered = true;
    } catch (error) {
      thrown = error;
    } finally {
      attachment.guarded(() => framework.note(exchange, context), undefined);
    }
    exchange.error(thrown);
    const page = await attachment.errorPage(exchange, thrown);
    if (page !== undefined) return framework.answer(context, page);
    if (!isAnswered) throw thrown;
    return undefined;
  };
  return makeDetachable(onion, attachment, () => undefined);
}

/** Reports an unsupported package version, which may explain why there are no Node messages. */
function reportVersions(packages: readonly PackageName[]): void {
  try {
    for (const name of packages) checkPackage(name);
  } catch (error) {
    const { message, fix = '' } = isCodedError(error) ? error : { message: String(error) };
    process.stderr.write(
      `lookback: Nothing is recorded: ${message} ${fix} Without the adapter, node --import lookback/register records every version.\n`,
    );
  }
}

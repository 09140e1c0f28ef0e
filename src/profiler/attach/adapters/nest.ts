import { ExceptionsHandler } from '@nestjs/core/exceptions/exceptions-handler.js';
import { GuardsConsumer } from '@nestjs/core/guards/guards-consumer.js';
import { InterceptorsConsumer } from '@nestjs/core/interceptors/interceptors-consumer.js';
import type { IncomingMessage, Server } from 'node:http';
import { undoAll } from '#core/patches';
import { attachmentOf, type Detachable, makeDetachable } from '../attachment/attachment.js';
import { watchNest, watchNestErrors } from '../frameworks/nest.js';
import { watchServer } from '../servers/watch-server.js';
import type { AttachOptions } from '../watch/attach-options.js';
import { findExchange } from '../watch/exchange.js';

/** Watches the server, and Nest's classes that call guards, interceptors and filters. */
export async function watch(server: Server, options: AttachOptions | undefined): Promise<Detachable> {
  const attachment = attachmentOf(options);
  const detach = undoAll([
    watchServer(attachment, server),
    watchNest(GuardsConsumer.prototype),
    watchNest(InterceptorsConsumer.prototype),
    watchNestErrors(ExceptionsHandler.prototype),
  ]);
  await attachment.ready();
  return makeDetachable({}, attachment, detach);
}

/** Responds with the error page if it is enabled and the client may see it. Otherwise returns false. */
export function answerError(request: IncomingMessage, thrown: unknown): boolean {
  return findExchange(request)?.answerError(thrown) === true;
}

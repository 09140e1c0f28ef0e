import type { ArgumentsHost, DynamicModule } from '@nestjs/common';
import { Catch, Inject, Module } from '@nestjs/common';
import { APP_FILTER, BaseExceptionFilter, HttpAdapterHost } from '@nestjs/core';
import { ExceptionsHandler } from '@nestjs/core/exceptions/exceptions-handler.js';
import { GuardsConsumer } from '@nestjs/core/guards/guards-consumer.js';
import { InterceptorsConsumer } from '@nestjs/core/interceptors/interceptors-consumer.js';
import type { IncomingMessage, Server } from 'node:http';
import { undoAll } from '#patches';
import { type Attachment, attachmentOf } from './attachment/attachment.js';
import type { AttachOptions } from './watch/attach-options.js';
import { findExchange } from './watch/exchange.js';
import { watchNest, watchNestErrors } from './frameworks/watch-nest.js';
import { watchServer } from './servers/watch-server.js';

export type { AttachOptions } from './watch/attach-options.js';

const token = Symbol('lookback attachment');

/** A request of Express, or of Fastify, where `raw` is Node's request. */
interface NestRequest {
  readonly raw?: IncomingMessage;
}

/** Handles errors that no filter of the application handles, including those of guards and of missing routes. */
class LookbackFilter extends BaseExceptionFilter {
  override catch(thrown: unknown, host: ArgumentsHost): void {
    if (host.getType() === 'http') {
      const request = host.switchToHttp().getRequest<NestRequest>();
      if (findExchange(request.raw ?? request)?.answerError(thrown) === true) return;
    }
    // oxlint-disable-next-line promise/valid-params -- the method of an exception filter, not of a promise
    super.catch(thrown, host);
  }
}

/**
 * Records the requests of an application of Nest, on Express and on Fastify: the first of its modules' imports is
 * `LookbackModule.forRoot()`. The record has the route with its pattern and parameters, controller and method, and what
 * guards, pipes, interceptors and methods threw; with `errorPage`, errors that no filter of the application handles are
 * shown. The profiler's pages are below `/_profiler`.
 */
export class LookbackModule {
  readonly #attachment: Attachment;
  readonly #host: HttpAdapterHost;
  #detach: (() => void) | undefined;

  constructor(attachment: Attachment, host: HttpAdapterHost) {
    this.#attachment = attachment;
    this.#host = host;
  }

  static forRoot(options?: AttachOptions): DynamicModule {
    return {
      module: LookbackModule,
      global: true,
      providers: [
        { provide: token, useFactory: () => attachmentOf(options) },
        { provide: APP_FILTER, useClass: LookbackFilter },
      ],
    };
  }

  /** Watches the server instead of adding a middleware, because Nest reads bodies before the first middleware of a module. */
  onModuleInit(): void {
    const server = this.#host.httpAdapter.getHttpServer() as Server; // a Node server on both platforms
    if (!this.#attachment.isEnabled) return;
    this.#detach = undoAll([
      watchServer(this.#attachment, server),
      watchNest(GuardsConsumer.prototype),
      watchNest(InterceptorsConsumer.prototype),
      watchNestErrors(ExceptionsHandler.prototype),
    ]);
  }

  /** Detaches, writes the remaining records and closes the store when the application is closed. */
  onApplicationShutdown(): Promise<void> {
    this.#detach?.();
    return this.#attachment.close();
  }
}

// Decorators are applied as functions, because their syntax is not erasable TypeScript.
Catch()(LookbackFilter);
Inject(token)(LookbackModule, undefined, 0);
Inject(HttpAdapterHost)(LookbackModule, undefined, 1);
Module({})(LookbackModule);

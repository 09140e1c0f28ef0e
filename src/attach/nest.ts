import type {
  ArgumentsHost,
  CallHandler,
  DynamicModule,
  ExecutionContext,
  NestInterceptor,
} from '@nestjs/common';
import { Catch, Inject, Injectable, Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, BaseExceptionFilter, HttpAdapterHost } from '@nestjs/core';
import { type Observable, tap } from 'rxjs';
import type { IncomingMessage, Server } from 'node:http';
import { type Attachment, attachmentOf } from './attachment/attachment.js';
import type { AttachOptions } from './watch/attach-options.js';
import { findExchange } from './watch/exchange.js';
import { beginSpan, noteRoute } from './watch/note-facts.js';
import { watchServer } from './servers/watch-server.js';

export type { AttachOptions } from './watch/attach-options.js';

const token = Symbol('lookback attachment');

/** What Express's and Fastify's requests have of a route. */
interface NestRequest {
  readonly raw?: IncomingMessage;
  readonly method?: string;
  readonly params?: unknown;
  readonly route?: { readonly path?: unknown };
  readonly routeOptions?: { readonly url?: unknown };
}

/** Notes which method of which controller answers, when, and what it threw. */
class LookbackInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<NestRequest>();
    const exchange = findExchange(request.raw ?? request);
    if (exchange === undefined) return next.handle();
    const path = request.route?.path ?? request.routeOptions?.url;
    const { method = '' } = request;
    if (typeof path === 'string') noteRoute(exchange, { method, path }, request.params);
    const name = `${context.getClass().name}.${context.getHandler().name}`;
    exchange.recording.controller({ name }, []);
    const leave = beginSpan(exchange, { name, category: 'controller' });
    return next.handle().pipe(
      tap({
        error: (error: unknown) => {
          leave('failed');
          exchange.recording.error(error);
        },
        complete: () => leave(),
      }),
    );
  }
}

/** Comes where no filter of the application does: also for what guards throw and for routes that are not there. */
class LookbackFilter extends BaseExceptionFilter {
  override catch(thrown: unknown, host: ArgumentsHost): void {
    if (host.getType() === 'http') {
      const request = host.switchToHttp().getRequest<NestRequest>();
      if (findExchange(request.raw ?? request)?.answerError(thrown) === true) return;
    }
    // oxlint-disable-next-line promise/valid-params -- the method of an exception filter, of no promise
    super.catch(thrown, host);
  }
}

/**
 * Records the requests of an application of Nest, on Express and on Fastify: the first of its modules' imports is
 * `LookbackModule.forRoot()`. The record has the route with its pattern and parameters, controller and method, and what
 * guards, pipes, interceptors and methods threw; with `errorPage`, errors that no filter of the application takes are shown. The profiler's pages are below `/_profiler`.
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
        { provide: APP_INTERCEPTOR, useClass: LookbackInterceptor },
        { provide: APP_FILTER, useClass: LookbackFilter },
      ],
    };
  }

  /** At the server, as Nest reads bodies before the first middleware of a module. */
  onModuleInit(): void {
    const server = this.#host.httpAdapter.getHttpServer() as Server; // of both platforms
    if (this.#attachment.isEnabled) this.#detach = watchServer(this.#attachment, server);
  }

  /** Writes what is left and closes the store, when the application is closed. */
  onApplicationShutdown(): Promise<void> {
    this.#detach?.();
    return this.#attachment.close();
  }
}

// What decorators do, without their syntax, which is no erasable TypeScript.
Injectable()(LookbackInterceptor);
Catch()(LookbackFilter);
Inject(token)(LookbackModule, undefined, 0);
Inject(HttpAdapterHost)(LookbackModule, undefined, 1);
Module({})(LookbackModule);

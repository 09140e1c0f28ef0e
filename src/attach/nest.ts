import type {
  CallHandler,
  DynamicModule,
  ExecutionContext,
  MiddlewareConsumer,
  NestInterceptor,
} from '@nestjs/common';
import { Inject, Injectable, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { type Observable, tap } from 'rxjs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Attachment, attachmentOf } from './attachment/attachment.js';
import type { AttachOptions } from './watch/attach-options.js';
import { findExchange } from './watch/exchange.js';
import { beginSpan, noteRoute } from './watch/note-facts.js';

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

/**
 * Records the requests of an application of Nest, on Express and on Fastify: the first of its modules' imports is
 * `LookbackModule.forRoot()`. The record has the route with its pattern and parameters, controller and method, and what pipes,
 * interceptors and methods threw. The profiler's pages are below `/_profiler`.
 */
export class LookbackModule {
  readonly #attachment: Attachment;

  constructor(attachment: Attachment) {
    this.#attachment = attachment;
  }

  static forRoot(options?: AttachOptions): DynamicModule {
    return {
      module: LookbackModule,
      global: true,
      providers: [
        { provide: token, useFactory: () => attachmentOf(options) },
        { provide: APP_INTERCEPTOR, useClass: LookbackInterceptor },
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply((request: IncomingMessage, response: ServerResponse, next: () => void) =>
        this.#attachment.handle(request, response, next),
      )
      .forRoutes('{*path}');
  }

  /** Writes what is left and closes the store, when the application is closed. */
  onApplicationShutdown(): Promise<void> {
    return this.#attachment.close();
  }
}

// What decorators do, without their syntax, which is no erasable TypeScript.
Injectable()(LookbackInterceptor);
Inject(token)(LookbackModule, undefined, 0);
Module({})(LookbackModule);

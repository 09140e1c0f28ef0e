import { type ArgumentsHost, type DynamicModule, Catch, Inject, Module } from '@nestjs/common';
import { APP_FILTER, BaseExceptionFilter, HttpAdapterHost } from '@nestjs/core';
import type { IncomingMessage, Server } from 'node:http';
import type * as NestAdapter from './adapters/nest.js';
import type { Detachable } from './attachment/attachment.js';
import { readOptions } from '#core/options';
import { type AttachOptions, attachSchema, readSettings } from './watch/attach-options.js';

export type { AttachOptions } from './watch/attach-options.js';

const token = Symbol('lookback options');

/** An Express request, or a Fastify request, whose `raw` is Node's request. */
type NestRequest = IncomingMessage & { readonly raw?: IncomingMessage };

type Adapter = typeof NestAdapter;
let adapter: Adapter | undefined; // loaded when the first recording module starts

/** Handles errors not handled by the application's filters, including errors from guards and missing routes. */
class LookbackFilter extends BaseExceptionFilter {
  override catch(thrown: unknown, host: ArgumentsHost): void {
    if (host.getType() === 'http') {
      const request = host.switchToHttp().getRequest<NestRequest>();
      if (adapter?.answerError(request.raw ?? request, thrown) === true) return;
    }
    // oxlint-disable-next-line promise/valid-params -- an exception filter's method, not a promise's
    super.catch(thrown, host);
  }
}

/**
 * Records the requests of a Nest application, on Express or Fastify. Import `LookbackModule.forRoot()` first. Records
 * contain the route with pattern and parameters, controller and method, and errors thrown by guards, pipes,
 * interceptors and methods. With `errorPage`, errors not handled by the application's filters are shown. The profiler's
 * pages are under `/_profiler`.
 */
export class LookbackModule {
  readonly #options: AttachOptions;
  readonly #host: HttpAdapterHost;
  #watched: Detachable | undefined;

  constructor(options: AttachOptions, host: HttpAdapterHost) {
    this.#options = options;
    this.#host = host;
  }

  static forRoot(options?: AttachOptions): DynamicModule {
    const given = readOptions('lookback', options, attachSchema); // validated here, not when the application starts
    return {
      module: LookbackModule,
      global: true,
      providers: [
        { provide: token, useValue: given },
        { provide: APP_FILTER, useClass: LookbackFilter },
      ],
    };
  }

  /**
   * Watches the server instead of adding a middleware, because Nest reads bodies before a module's first middleware.
   */
  async onModuleInit(): Promise<void> {
    if (!readSettings(this.#options).enabled) return;
    adapter = await import('./adapters/nest.js');
    const server = this.#host.httpAdapter.getHttpServer() as Server; // a Node server on both platforms
    this.#watched = await adapter.watch(server, this.#options);
  }

  /** Detaches, writes pending records and closes the store when the application is closed. */
  async onApplicationShutdown(): Promise<void> {
    await this.#watched?.close();
  }
}

// Decorators are applied as functions, because their syntax is not erasable TypeScript.
Catch()(LookbackFilter);
Inject(token)(LookbackModule, undefined, 0);
Inject(HttpAdapterHost)(LookbackModule, undefined, 1);
Module({})(LookbackModule);

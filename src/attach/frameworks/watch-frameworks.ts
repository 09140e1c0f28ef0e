import type { EventEmitter } from 'node:events';
import { type KnownModule, LoadedModules, undoAll, type Undo } from '#patches';
import type { Exchange } from '../watch/exchange.js';
import { appOf, createExpressWatch, watchLayers } from './watch-express.js';
import { watchRoutes } from './watch-fastify-hooks.js';
import { watchFastify, watchReplies } from './watch-fastify.js';
import { watchH3Errors, watchH3Events } from './watch-h3-events.js';
import { watchH3 } from './watch-h3.js';
import { watchHono } from './watch-hono.js';
import { watchKoa } from './watch-koa.js';
import { watchNest, watchNestErrors } from './watch-nest.js';
import { watchPolka } from './watch-polka.js';
import { noteLeftBehind, watchHapi } from './watch-routers.js';

const nest = '@nestjs/core';
/** What every program that uses Nest has loaded before. */
const isUsed = (): boolean => 'getMetadata' in Reflect;

const commonModules: readonly KnownModule[] = [
  // Express 5, and 4; where it is no module of its own, as in a bundle, by its application.
  { file: 'router/lib/layer.js', patch: watchLayers },
  { file: 'express/lib/router/layer.js', patch: watchLayers },
  { file: 'koa/lib/application.js', patch: watchKoa },
  { file: 'fastify/lib/reply.js', patch: watchReplies },
  { file: 'find-my-way/index.js', patch: watchRoutes },
  { file: 'trouter/index.js', patch: watchPolka },
  { file: '@hapi/hapi/lib/request.js', patch: watchHapi },
  { file: 'h3/dist/index.cjs', name: 'H3Event', patch: watchH3Events },
  { file: 'h3/dist/index.cjs', name: 'H3Error', patch: watchH3Errors },
  { file: 'hono/dist/cjs/router/smart-router/router.js', name: 'SmartRouter', patch: watchHono },
  { file: `${nest}/guards/guards-consumer.js`, name: 'GuardsConsumer', patch: watchNest },
  { file: `${nest}/interceptors/interceptors-consumer.js`, name: 'InterceptorsConsumer', patch: watchNest },
  { file: `${nest}/exceptions/exceptions-handler.js`, name: 'ExceptionsHandler', patch: watchNestErrors },
];

const modules: readonly KnownModule[] = [
  { file: 'hono/dist/router/smart-router/router.js', name: 'SmartRouter', patch: watchHono },
  { file: 'h3/dist/_entries/node.mjs', name: 'H3', patch: watchH3 },
  { file: 'h3/dist/index.mjs', name: 'H3Event', patch: watchH3Events },
  { file: 'h3/dist/index.mjs', name: 'H3Error', patch: watchH3Errors },
  // From its version 12 on.
  ...commonModules.filter(({ file }) => file.startsWith(nest)).map((module) => ({ ...module, isUsed })),
];

/** Watches the frameworks that requests go through, of which the application has no line of ours. */
export interface FrameworkWatch {
  /** Resolves when those that are ECMAScript modules are found. */
  readonly ready: Promise<void>;
  /** Before a request of a server is answered. */
  begin(exchange: Exchange, server: EventEmitter): void;
  restore: Undo;
}

/** Express, Fastify, Koa, Hono, h3, Nest, polka, hapi and restify, wherever they are found. */
export function watchFrameworks(): FrameworkWatch {
  const express = createExpressWatch();
  const loaded = new LoadedModules(commonModules);
  const imported = new LoadedModules(modules);
  const servers = new WeakSet<EventEmitter>();
  return {
    ready: imported.import(process.argv[1] ?? ''),
    begin(exchange, server) {
      loaded.look();
      if (!servers.has(server)) for (const listener of server.listeners('request')) express.watch(listener);
      servers.add(server);
      exchange.atEnd.push(() => {
        // An application of Express that stands behind a handler of someone's own is known once it was asked.
        if (exchange.app === undefined) express.watch(appOf(exchange.incoming));
        noteLeftBehind(exchange);
      });
    },
    restore: undoAll([watchFastify(), () => express.restore(), () => loaded.undo(), () => imported.undo()]),
  };
}

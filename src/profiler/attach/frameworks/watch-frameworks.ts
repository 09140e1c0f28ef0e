import type { EventEmitter } from 'node:events';
import { type KnownModule, LoadedModules, undoAll, type Undo } from '#core/patches';
import type { Exchange } from '../watch/exchange.js';
import { appOf, createExpressWatch, watchLayers } from './express.js';
import { watchRoutes, watchFastify, watchReplies } from './fastify.js';
import { watchH3, watchH3Errors, watchH3Events } from './h3.js';
import { noteChosenRouters, watchHono, watchHonoRoutes } from './hono.js';
import { watchKoa, watchKoaContexts } from './koa.js';
import { watchNest, watchNestErrors } from './nest.js';
import { noteMessageFacts, watchAdonis, watchHapi, watchLoopback, watchPolka } from './other-routers.js';

const nest = '@nestjs/core';
/** Returns whether the program has loaded `reflect-metadata`, as every Nest program does first. */
const isUsed = (): boolean => 'getMetadata' in Reflect;

const honoRouters = [
  ['router/reg-exp-router/router.js', 'RegExpRouter'],
  ['router/trie-router/router.js', 'TrieRouter'],
] as const;

const commonModules: readonly KnownModule[] = [
  // Express 5 and Express 4. A bundled Express is found through its application instead.
  { file: 'router/lib/layer.js', patch: watchLayers },
  { file: 'express/lib/router/layer.js', patch: watchLayers },
  { file: 'koa/lib/application.js', patch: watchKoa },
  { file: 'koa/lib/context.js', isPrototype: true, patch: watchKoaContexts },
  { file: 'fastify/lib/reply.js', patch: watchReplies },
  { file: 'find-my-way/index.js', patch: watchRoutes },
  { file: '@hapi/hapi/lib/request.js', patch: watchHapi },
  { file: 'trouter/index.js', patch: watchPolka },
  { file: '@loopback/rest/dist/router/routing-table.js', name: 'RoutingTable', patch: watchLoopback },
  { file: 'h3/dist/index.cjs', name: 'H3Event', patch: watchH3Events },
  { file: 'h3/dist/index.cjs', name: 'H3Error', patch: watchH3Errors },
  { file: 'hono/dist/cjs/router/smart-router/router.js', name: 'SmartRouter', patch: watchHono },
  ...honoRouters.map(([file, name]) => ({ file: `hono/dist/cjs/${file}`, name, patch: watchHonoRoutes })),
  { file: `${nest}/guards/guards-consumer.js`, name: 'GuardsConsumer', patch: watchNest },
  { file: `${nest}/interceptors/interceptors-consumer.js`, name: 'InterceptorsConsumer', patch: watchNest },
  { file: `${nest}/exceptions/exceptions-handler.js`, name: 'ExceptionsHandler', patch: watchNestErrors },
];

const modules: readonly KnownModule[] = [
  { file: 'hono/dist/router/smart-router/router.js', name: 'SmartRouter', patch: watchHono },
  ...honoRouters.map(([file, name]) => ({ file: `hono/dist/${file}`, name, patch: watchHonoRoutes })),
  {
    file: '@adonisjs/http-server/build/index.js',
    name: 'Router',
    broughtBy: '@adonisjs/core',
    patch: watchAdonis,
  },
  { file: 'h3/dist/_entries/node.mjs', name: 'H3', patch: watchH3 },
  { file: 'h3/dist/index.mjs', name: 'H3Event', patch: watchH3Events },
  { file: 'h3/dist/index.mjs', name: 'H3Error', patch: watchH3Errors },
  // Nest is an ECMAScript module from version 12 on.
  ...commonModules.filter(({ file }) => file.startsWith(nest)).map((module) => ({ ...module, isUsed })),
];

/** A watch on frameworks whose applications do not use lookback's middleware. */
export interface FrameworkWatch {
  /** Resolves when frameworks that are ECMAScript modules have been patched. */
  readonly ready: Promise<void>;
  /** Called before a server handles a request. */
  begin(exchange: Exchange, server: EventEmitter): void;
  restore: Undo;
}

/** Watches Express, Fastify, Koa, Hono, h3, Nest, Adonis, LoopBack, hapi, Polka and restify, if loaded. */
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
        // An Express application behind a custom handler is only known after it has handled a request.
        if (exchange.app === undefined) express.watch(appOf(exchange.incoming));
        noteMessageFacts(exchange);
        noteChosenRouters(exchange);
      });
    },
    restore: undoAll([watchFastify(), () => express.restore(), () => loaded.undo(), () => imported.undo()]),
  };
}

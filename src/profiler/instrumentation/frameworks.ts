import { type KnownModule, type KnownPackage, supportedPackages } from '#core/patches';

/** A library and the data recorded from it. */
export interface KnownLibrary extends KnownPackage {
  /** What it contributes to records, as listed in docs/guides/instrumentation.md. */
  readonly records: string;
  /** It publishes on diagnostics channels, so it is recorded whether or not one of its files is patched. */
  readonly publishes?: true;
}

/** The part of a framework file that is patched. The patching functions belong to the attached profiler. */
export type FrameworkPatch =
  | 'express layers'
  | 'koa application'
  | 'koa contexts'
  | 'fastify replies'
  | 'fastify routes'
  | 'hono router'
  | 'hono routes'
  | 'h3 router'
  | 'h3 events'
  | 'h3 errors'
  | 'nest consumers'
  | 'nest errors'
  | 'hapi requests'
  | 'polka router'
  | 'loopback routes'
  | 'adonis router';

/** A file in a framework, or in a package split from it. */
export interface FrameworkModule extends Omit<KnownModule, 'patch'> {
  readonly patches: FrameworkPatch;
}

/** A framework that is recorded without an adapter. */
export interface InstrumentedFramework extends KnownLibrary {
  /** Files loaded by `require`. */
  readonly modules?: readonly FrameworkModule[];
  /** ECMAScript module files. */
  readonly imports?: readonly FrameworkModule[];
}

const nestModules: readonly FrameworkModule[] = [
  { file: '@nestjs/core/guards/guards-consumer.js', name: 'GuardsConsumer', patches: 'nest consumers' },
  {
    file: '@nestjs/core/interceptors/interceptors-consumer.js',
    name: 'InterceptorsConsumer',
    patches: 'nest consumers',
  },
  {
    file: '@nestjs/core/exceptions/exceptions-handler.js',
    name: 'ExceptionsHandler',
    patches: 'nest errors',
  },
];

function honoRoutersIn(folder: string): readonly FrameworkModule[] {
  return [
    { file: `${folder}/router/reg-exp-router/router.js`, name: 'RegExpRouter', patches: 'hono routes' },
    { file: `${folder}/router/trie-router/router.js`, name: 'TrieRouter', patches: 'hono routes' },
  ];
}

/** All frameworks that are recorded without an adapter. Keep in step with docs/guides/instrumentation.md. */
export const instrumentedFrameworks: readonly InstrumentedFramework[] = [
  {
    name: 'express',
    versions: ['4', '5'],
    records: 'middleware and handlers',
    modules: [
      { file: 'router/lib/layer.js', partOf: 'express', patches: 'express layers' }, // in Express 5
      { file: 'express/lib/router/layer.js', patches: 'express layers' },
    ],
  },
  { name: 'router', versions: ['1', '2'], records: 'middleware and handlers' }, // without Express
  {
    name: 'fastify',
    versions: ['4', '5'],
    records: 'routes, hooks and handlers',
    modules: [
      { file: 'fastify/lib/reply.js', patches: 'fastify replies' },
      { file: 'find-my-way/index.js', partOf: 'fastify', patches: 'fastify routes' },
    ],
  },
  {
    name: 'koa',
    versions: supportedPackages.koa.versions,
    records: 'routes, middleware and handlers',
    modules: [
      { file: 'koa/lib/application.js', patches: 'koa application' },
      { file: 'koa/lib/context.js', isPrototype: true, patches: 'koa contexts' },
    ],
  },
  {
    name: 'hono',
    versions: supportedPackages.hono.versions,
    records: 'routes, middleware and handlers',
    modules: [
      { file: 'hono/dist/cjs/router/smart-router/router.js', name: 'SmartRouter', patches: 'hono router' },
      ...honoRoutersIn('hono/dist/cjs'),
    ],
    imports: [
      { file: 'hono/dist/router/smart-router/router.js', name: 'SmartRouter', patches: 'hono router' },
      ...honoRoutersIn('hono/dist'),
    ],
  },
  {
    name: 'h3',
    versions: ['1', ...supportedPackages.h3.versions],
    records: 'routes and handlers',
    modules: [
      { file: 'h3/dist/index.cjs', name: 'H3Event', patches: 'h3 events' },
      { file: 'h3/dist/index.cjs', name: 'H3Error', patches: 'h3 errors' },
    ],
    imports: [
      { file: 'h3/dist/_entries/node.mjs', name: 'H3', patches: 'h3 router' },
      { file: 'h3/dist/index.mjs', name: 'H3Event', patches: 'h3 events' },
      { file: 'h3/dist/index.mjs', name: 'H3Error', patches: 'h3 errors' },
    ],
  },
  {
    name: '@nestjs/core',
    versions: ['8', '9', '10', '11', '12'],
    records: 'controllers and errors',
    modules: nestModules,
    // Nest is an ECMAScript module from version 12 on. Every Nest program loads `reflect-metadata` first.
    imports: nestModules.map((module) => ({ ...module, isUsed: () => 'getMetadata' in Reflect })),
  },
  {
    name: '@hapi/hapi',
    versions: ['18', '19', '20', '21'],
    records: 'routes, handlers and errors',
    modules: [{ file: '@hapi/hapi/lib/request.js', patches: 'hapi requests' }],
  },
  {
    name: 'polka',
    versions: ['0.5'],
    records: 'routes and handlers',
    modules: [{ file: 'trouter/index.js', partOf: 'polka', patches: 'polka router' }],
  },
  {
    name: '@loopback/rest',
    versions: ['12', '13', '14', '15'],
    records: 'routes and controllers',
    modules: [
      {
        file: '@loopback/rest/dist/router/routing-table.js',
        name: 'RoutingTable',
        patches: 'loopback routes',
      },
    ],
  },
  {
    name: '@adonisjs/http-server',
    versions: ['7', '8', '9'],
    records: 'routes and handlers',
    imports: [
      {
        file: '@adonisjs/http-server/build/index.js',
        name: 'Router',
        broughtBy: '@adonisjs/core',
        patches: 'adonis router',
      },
    ],
  },
];

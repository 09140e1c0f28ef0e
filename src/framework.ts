/** The roof: `createApp` joins the kernel and the profiler and hands out what an application is made of. */
export { createApp } from './framework/create-app.js';
export type { AppOptions } from './framework/app-options.js';
export type { App, DeclareRoute, Handler, RunningServer } from './framework/app.js';
export type { Configuration, Environment } from './framework/configuration.js';
export { readConfiguration } from './framework/read-configuration.js';
export type { Extension } from './framework/extension.js';
export { latePersistence } from './framework/late-persistence.js';
export { Delete, Get, Patch, Post, Put, Route, routeAttribute } from './framework/route-attribute.js';
export type { AppRoute, RouteDeclaration, RouteOptions } from './framework/route-attribute.js';
export { serve } from './framework/serve.js';

/** The main entry of the package. Other houses have their own entries: `lookback/routing`, `lookback/html` … */
export { createApp, findRouteSchemas, readConfiguration, serve } from '#framework';
export { Delete, Get, Patch, Post, Put, Route, routeAttribute } from '#framework';
export type {
  App,
  AppOptions,
  AppRoute,
  Configuration,
  Environment,
  Extension,
  Tap,
  GroupApp,
  Handler,
  RouteGroup,
  RouteOptions,
  RunningServer,
} from '#framework';
export { createCommand } from '#command';
export type { Command, CommandContext, CommandDefinition, CommandOptions, CommandRun } from '#command';
export { annotate, defineAttribute } from '#attributes';
export { controllerArguments } from '#controller';
export type { Around, ControllerContext, ControllerTarget, NextLayer, ValueResolver } from '#controller';
export { CodedError, isCodedError } from '#coded-error';
export {
  BadRequestError,
  ConflictError,
  ForbiddenError,
  HttpError,
  isHttpError,
  MethodNotAllowedError,
  NotFoundError,
  UnauthorizedError,
  UnprocessableContentError,
} from '#errors';
export { defineEvent, type EventType, type Listener } from '#events';
export { HttpRequest, HttpResponse } from '#http';
export { requestAuthentication, requestLocale, requestRoute, requestUser } from '#http';
export type { CookieOptions, RequestAuthentication, RequestUser, ResponseBody } from '#http';
export {
  controllerArgumentsEvent,
  controllerEvent,
  exceptionEvent,
  finishRequestEvent,
  kernelListener,
  kernelPriority,
  requestEvent,
  responseEvent,
  terminateEvent,
  viewEvent,
} from '#kernel';
export type { KernelListener } from '#kernel';
export { createLogger, type LogHandler, type Logger, type LogLevel, type LogRecord } from '#log';
export { createScopeKey, currentScope, type Scope, type ScopeKey } from '#scope';
export { dumpValue as dump } from '#profiler';

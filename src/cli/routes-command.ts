import { safely } from '#core/coded-error';
import { type Command, type CommandValues, createCommand } from '#core/command';
import { loadTools } from '#profiler';
import type { Extension } from '#framework/app';
import type { Locale } from '#framework/locale';
import type { Security } from '#framework/security';
import { HttpRequest, requestRoute } from '#core/http';
import {
  compileRoutes,
  decodePath,
  explainMatch,
  lintRoutes,
  type RouteFinding,
  matchRoute,
  type Route,
  type RouteCollection,
} from '#core/routing';
import { appOption, loadApp, type LoadedApp } from './command-line/load-app.js';
import { storeSource } from './records/store-source.js';
import {
  type CliOutput,
  NoCommandsError,
  renderJson,
  renderRows,
  UsageError,
} from './command-line/terminal.js';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { findData } from '#core/dump';
import { createSourceLoader, describeThrown } from '#core/errors';

const routesOptions = {
  ...appOption,
  json: { type: 'boolean', description: 'Print JSON' },
  method: { type: 'string', default: 'GET', description: 'Method of the request to match' },
  host: { type: 'string', description: 'Host of the request to match (default: localhost)' },
  lint: {
    type: 'boolean',
    description:
      'Finds routes and access rules that can never match, and other mistakes; exit code 1 for an error',
  },
} as const;

type RoutesOptions = CommandValues<typeof routesOptions> & { readonly output: CliOutput };

export function routesCommand(output: CliOutput): Command {
  return createCommand(
    'routes',
    {
      description:
        'Lists the routes of the application; with a name, shows that route in full; with "match" and a path, shows which\n' +
        'route matches a request, and why the others do not',
      positionals: ['name|match', 'path'],
      options: routesOptions,
    },
    ({ options, positionals }) => runRoutes({ ...options, output }, positionals),
  );
}

async function runRoutes(options: RoutesOptions, [first, second]: readonly string[]): Promise<number> {
  if (second !== undefined && first !== 'match')
    throw new UsageError(`"${second}" is one argument too many.`);
  if (first === 'match' && second === undefined) throw new UsageError('Pass the path to match.');
  let loaded: LoadedApp;
  try {
    loaded = await loadApp(options.app);
  } catch (error) {
    const isList = options.lint !== true && first === undefined && options.app === undefined;
    if (isList && error instanceof NoCommandsError) return listDeclared(error, options);
    if (options.lint === true && findData(Object(error), 'code') === 'SECURITY_NEVER_APPLIES')
      return printFindings([neverApplies(error)], 0, options);
    throw error;
  }
  try {
    if (options.lint === true) return lint(loaded, options);
    if (first === 'match') return match(loaded, second ?? '/', options);
    return first === undefined ? list(loaded.routes.all(), options) : show(loaded.routes, first, options);
  } finally {
    await loaded.app?.close();
  }
}

/** Lists the routes that another framework's application has stored with its records; rethrows if there are none. */
async function listDeclared(error: NoCommandsError, { json, output }: RoutesOptions): Promise<number> {
  const { callTool, recordTools } = await loadTools();
  const tool = recordTools.find(({ name }) => name === 'routes');
  if (tool === undefined) throw error;
  const input = json === true ? { as: 'data' } : {};
  const source = storeSource(undefined, { isCommand: true });
  const { text, data, isError } = await callTool(tool, input, { source, budget: maxBytes });
  if (isError || data?.['shown'] === 0) throw error;
  output.out(json === true ? `${renderJson(data?.['rows'])}\n` : `${text}\n`);
  return 0;
}

const maxBytes = 16 * 1024 * 1024;

function print({ json, output }: RoutesOptions, data: unknown, text: () => string): void {
  output.out(json === true ? `${renderJson(data)}\n` : text());
}

/** Lists routes. In a table, the profiler's routes are only counted, unless there are no others. */
function list(routes: readonly Route[], options: RoutesOptions): number {
  const isOwn = ({ name }: Route): boolean => name.startsWith('_profiler');
  const shown = routes.every(isOwn) ? routes : routes.filter((route) => !isOwn(route));
  const folded = routes.length - shown.length;
  const rest = `and ${folded} ${folded === 1 ? 'route' : 'routes'} of the profiler: lookback routes _profiler\n`;
  const columns = { width: options.output.columns, flexible: ['Path', 'Controller', 'Name'] };
  print(
    options,
    routes.map(routeRow),
    () => `${renderRows(shown.map(routeRow), columns)}${folded > 0 ? rest : ''}`,
  );
  return 0;
}

/** Shows the route with this name, or lists all routes whose names contain it. */
function show(routes: RouteCollection, name: string, options: RoutesOptions): number {
  const exact = routes.all().filter((route) => route.key === name || route.name === name);
  const found = exact.length > 0 ? exact : routes.all().filter((route) => route.name.includes(name));
  const [only] = found;
  if (only === undefined) {
    options.output.err(`The route "${name}" does not exist.\n`);
    return 1;
  }
  if (found.length > 1) return list(found, options);
  const details = routeDetails(only);
  print(options, details, () =>
    renderRows(Object.entries(details).map(([property, value]) => ({ Property: property, Value: value }))),
  );
  return 0;
}

function match({ routes, app }: LoadedApp, path: string, options: RoutesOptions): number {
  const { host } = options;
  const method = options.method.toUpperCase();
  const compiled = compileRoutes(routes);
  const [rawPath = '', rawQuery = ''] = path.replace(/#.*$/s, '').split(/\?(.*)/s);
  const context = { method, path: decodePath(rawPath), ...(host === undefined ? {} : { host }) };
  const found = explainMatch(compiled, context);
  const findRoute = (other: string): Route | undefined => {
    const result = matchRoute(compiled, { ...context, path: other });
    return result.kind === 'match' ? result.route : undefined;
  };
  const location =
    found.outcome === 'not-found'
      ? app?.extensions
          .find(isLocale)
          ?.rewrite({ ...context, rawPath, rawQuery }, findRoute, { isNavigation: true })
      : undefined;
  const trace = location === undefined ? found : { ...found, outcome: 'redirect', nearMisses: [], location };
  print(options, trace, () => {
    const tried = trace.rows.filter((row) => row.level !== 'no');
    const rows = tried.map(({ name, path: written, level, reason }) => ({
      Name: name,
      Path: written,
      Level: level,
      Reason: reason,
    }));
    const near = trace.nearMisses.map((miss) => `Did you mean ${miss.path} (${miss.name})?\n`);
    const by = location === undefined ? '' : ` to ${location}, or to the language that the client prefers`;
    const outcome = `${trace.method} ${trace.path}: ${trace.outcome}${by}\n`;
    return [rows.length > 0 ? renderRows(rows) : '', outcome, ...near].join('');
  });
  return trace.outcome === 'match' ? 0 : 1;
}

function isLocale(extension: Extension): extension is Locale {
  return extension.name === 'locale' && 'rewrite' in extension;
}

function isSecurity(extension: Extension): extension is Security {
  return extension.name === 'security' && 'deadRules' in extension;
}

/** Finds access rules that never decide although they match routes, because an earlier rule decides. */
function lintAccessRules({ app, routes }: LoadedApp): RouteFinding[] {
  const security = app?.extensions.find(isSecurity);
  if (security === undefined) return [];
  const requests = routes.all().flatMap(sampleRequests);
  return security.deadRules(requests).map(({ rule, by, request }) => ({
    severity: 'error',
    rule: 'access-rule',
    route: request.scope.get(requestRoute)?.name ?? '',
    path: request.path,
    message: `The access rule ${rule} never decides: the earlier rule ${by} always does.`,
  }));
}

/** Returns requests that a route handles, with its variables' names as values. */
function sampleRequests({ name, path, methods, defaults }: Route): HttpRequest[] {
  return (methods.length === 0 ? ['GET'] : methods).map((method) => {
    const request = new HttpRequest({
      method,
      target: path.replaceAll(/\{(\w+)(?:[^{}\w][^{}]*)?\}/g, '$1').replaceAll(/[{}\s]/g, ''),
      rawHeaders: ['Host', 'localhost'],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 0, encrypted: true },
    });
    request.scope.set(requestRoute, { name, path, parameters: defaults });
    return request;
  });
}

function lint(loaded: LoadedApp, options: RoutesOptions): number {
  const { routes } = loaded;
  const recheck = loadRecheck();
  let isUnchecked = false;
  const ofRoutes = lintRoutes(routes, (expression) => {
    isUnchecked ||= recheck === undefined && /\)[*+{]|[*+}].*[*+}]/.test(expression.source);
    const found = recheck?.checkSync(expression.source, expression.flags, { timeout: 2000 }).complexity;
    return found?.type === 'exponential' ? Infinity : (found?.degree ?? 1);
  });
  if (isUnchecked)
    options.output.err(
      'Requirements are not checked for slow matching: run "npm install --save-dev recheck".\n',
    );
  return printFindings([...ofRoutes, ...lintAccessRules(loaded)], routes.size, options);
}

/** Reports the error with which an application refuses to start if an access rule or firewall can never apply. */
function neverApplies(error: unknown): RouteFinding {
  return { severity: 'error', rule: 'access-rule', route: '', path: '', message: describeThrown(error) };
}

function printFindings(findings: readonly RouteFinding[], size: number, options: RoutesOptions): number {
  const rows = findings.map(({ severity, rule, route, path, message }) => ({
    Severity: severity,
    Rule: rule,
    Route: route,
    Path: path,
    Finding: message,
  }));
  print(options, findings, () => (rows.length === 0 ? `${size} routes, nothing found.\n` : renderRows(rows)));
  return findings.some((finding) => finding.severity === 'error') ? 1 : 0;
}

interface Recheck {
  checkSync(
    source: string,
    flags: string,
    options: { readonly timeout: number },
  ): { readonly complexity?: { readonly type: string; readonly degree?: number } };
}

function loadRecheck(): Recheck | undefined {
  process.env['RECHECK_BACKEND'] ??= 'pure'; // other backends start processes
  const load = createRequire(join(process.cwd(), 'package.json'));
  return safely(() => load('recheck') as Recheck, undefined); // as the package documents
}

function routeRow(route: Route): Record<string, string> {
  return {
    Name: route.key,
    Method: route.methods.join('|') || 'ANY',
    Host: route.host ?? 'ANY',
    Path: route.path,
    Controller: targetName(route.target) || declarationLocation(route),
  };
}

function routeDetails(route: Route): Record<string, string> {
  return {
    ...routeRow(route),
    'Declared at': declarationLocation(route),
    Requirements: pairs(route.requirements),
    Defaults: pairs(route.defaults),
    Variables: route.variables.join(', '),
    Condition: route.condition === undefined ? '' : 'yes',
    Priority: String(route.priority),
  };
}

const sources = createSourceLoader();

/**
 * Returns where a route is declared, relative to the working directory: `src/app.ts:12`. Also works with another copy
 * of the package.
 */
function declarationLocation({ target }: Route): string {
  if (typeof target !== 'object' || target === null || !('location' in target)) return '';
  const { location } = target;
  const found: unknown =
    typeof location === 'function' ? Reflect.apply(location, target, [sources]) : undefined;
  if (typeof found !== 'object' || found === null || !('file' in found) || !('line' in found)) return '';
  return `${relative(process.cwd(), String(found.file))}:${String(found.line)}`;
}

function pairs(record: Readonly<Record<string, unknown>>): string {
  return Object.entries(record)
    .map(
      ([name, value]) => `${name}: ${typeof value === 'object' && value !== null ? 'object' : String(value)}`,
    )
    .join(', ');
}

/** Returns a target's name: a function's name, or `Class.method` for `[Class, 'method']`. */
function targetName(target: unknown): string {
  // A function written directly into a definition is named after its property.
  if (typeof target === 'function') return target.name === 'controller' ? '' : target.name;
  if (Array.isArray(target))
    return target.map((part: unknown) => (typeof part === 'string' ? part : targetName(part))).join('.');
  if (typeof target === 'object' && target !== null && 'controller' in target)
    return targetName(target.controller);
  return target === undefined ? '' : typeof target === 'string' ? target : typeof target;
}

import { type Command, createCommand } from '#core/command';
import { compileRoutes, decodePath, matchRoute, type RouteCollection } from '#core/routing';
import type { App } from '#framework/app';
import type { AskedRequest, Security } from '#framework/security';
import { appOption, loadApp } from './command-line/load-app.js';
import { type CliOutput, renderJson, renderRows, UsageError } from './command-line/terminal.js';
import { relative } from 'node:path';
import { pathOfFile } from '#core/errors';

const jsonOption = { json: { type: 'boolean', description: 'Print JSON' } } as const;

/** A request's stages in order, listed before other events. */
const stages: readonly string[] = [
  'request',
  'controller',
  'controller_arguments',
  'view',
  'response',
  'exception',
  'finish_request',
  'terminate',
];

async function withApp(file: string | undefined, work: (app: App) => number): Promise<number> {
  const { app } = await loadApp(file);
  if (app === undefined) throw new UsageError('The module exports routes, but no application.');
  try {
    return work(app);
  } finally {
    await app.close();
  }
}

export function listenersCommand(output: CliOutput): Command {
  return createCommand(
    'listeners',
    {
      description: 'Lists the listeners of each event, or of one, in the order in which they are called',
      positionals: ['event'],
      options: { ...appOption, ...jsonOption },
    },
    ({ options: { app: file, json }, positionals: [event] }) =>
      withApp(file, (app) => {
        const all = listenersOf(app);
        const found = event === undefined ? all : all.filter((listener) => listener.event === event);
        if (found.length === 0) {
          const events = [...new Set(all.map((listener) => listener.event))].join(', ');
          output.err(`No listeners for "${event ?? ''}". Events with listeners: ${events || 'none'}.\n`);
          return 1;
        }
        const rows = found.map(({ event: of, priority, name, location }) => ({
          Event: of,
          Priority: String(priority),
          Listener: name,
          Location: locationText(location),
        }));
        const columns = { width: output.columns, flexible: ['Location', 'Listener'] };
        output.out(json === true ? `${renderJson(found)}\n` : renderRows(rows, columns));
        return 0;
      }),
  );
}

function listenersOf(app: App): ReturnType<App['listeners']> {
  // The application may use another package version.
  if (!('listeners' in app)) throw new UsageError("The application's version of lookback cannot list them.");
  const rank = (event: string): number => (stages.includes(event) ? stages.indexOf(event) : stages.length);
  return app.listeners().toSorted((a, b) => rank(a.event) - rank(b.event)); // a stable sort
}

function locationText(location: ReturnType<App['listeners']>[number]['location']): string {
  return location === undefined
    ? ''
    : `${relative(process.cwd(), pathOfFile(location.file))}:${location.line}`;
}

export function firewallCommand(output: CliOutput): Command {
  return createCommand(
    'firewall',
    {
      description: 'Shows which firewall, access rule and entry point apply to a request',
      positionals: ['path'],
      options: {
        ...appOption,
        ...jsonOption,
        method: { type: 'string', default: 'GET', description: 'Method of the request' },
        host: { type: 'string', default: 'localhost', description: 'Host of the request' },
        https: { type: 'boolean', description: 'The request uses HTTPS' },
      },
    },
    ({ options: { app: file, json, method, host, https }, positionals: [path] }) => {
      if (path === undefined || !path.startsWith('/'))
        throw new UsageError('Pass the path of the request: lookback firewall /admin');
      return withApp(file, (app) => {
        const asked = askedRequest(app.routes, {
          method: method.toUpperCase(),
          target: path,
          host,
          scheme: https === true ? 'https' : 'http',
        });
        const security = app.extensions.find(isSecurity);
        if (security === undefined) throw new UsageError('The application has no security to explain.');
        const found = security.explain(asked);
        const route = asked.route?.name;
        if (json === true) {
          output.out(`${renderJson({ method: asked.method, path, route: route ?? null, ...found })}\n`);
          return 0;
        }
        const kind = `${found.isSecured ? 'secured' : 'open to all'}, ${found.isStateless ? 'stateless' : 'with a session'}`;
        const { redirectsTo, ruleRequires, controllerRequires } = found;
        const facts: readonly (readonly [string, string])[] = [
          ['Request', `${asked.method} ${path}`],
          ['Route', route ?? 'none matches'],
          ['Firewall', `${found.firewall} (${kind})`],
          ['Skipped firewalls', found.passed.join(', ')],
          ['User provider', found.provider],
          ['Authenticators', found.authenticators.join(', ')],
          ['Entry point', found.entryPoint ?? 'none'],
          ['Answered by the firewall', found.answeredBy.join(', ')],
          ['Access rule', found.rule ?? (found.isSecured ? 'none matches' : 'not applied')],
          ['It requires one of', ruleRequires.join(', ')],
          ['It redirects to', redirectsTo ?? ''],
          ['The controller requires', controllerRequires.join(', ')],
        ];
        const rows = facts.filter(([, value]) => value !== '');
        output.out(renderRows(rows.map(([Property, Value]) => ({ Property, Value }))));
        return 0;
      });
    },
  );
}

/** Adds the route that matches the request, and its controller. */
function askedRequest(routes: RouteCollection, request: Omit<AskedRequest, 'route'>): AskedRequest {
  const [path = ''] = request.target.split(/[?#]/, 1);
  const { method, host } = request;
  const match = matchRoute(compileRoutes(routes), { method, host, path: decodePath(path) });
  if (match.kind !== 'match') return request;
  const { route, parameters } = match;
  const ownGuard = route.name.startsWith('_profiler') ? '_profiler' : undefined;
  return {
    ...request,
    ownGuard,
    route: { name: route.name, path: route.path, parameters, controller: controllerOf(route.target) },
  };
}

/** A framework route's target contains its controller. */
function controllerOf(target: unknown): unknown {
  return typeof target === 'object' && target !== null && 'controller' in target ? target.controller : target;
}

function isSecurity(extension: object): extension is Security {
  return 'explain' in extension && 'accessOf' in extension;
}

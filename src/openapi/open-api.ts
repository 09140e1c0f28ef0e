import { defineErrorCodes, type ErrorCodes, refuseUnknownOptions } from '#coded-error';
import { attributesOf, annotate, type AttributeType, defineAttribute } from '#attributes';
import { controllerFunction, type ControllerTarget } from '#controller';
import { HttpResponse } from '#http';
import type { Logger } from '#log';
import type { RouteCollection } from '#routing';
import {
  createOpenApiDocument,
  type DescribedApplication,
  type DescriptionOptions,
  descriptionOptionNames,
} from './create-open-api-document.js';
import { routeFacts } from './described-route.js';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { contentSecurityPolicy, createScriptAsset, html, renderDocument } from '#html';

/** The parts of an application that the description reads. */
export interface DescribedApp {
  readonly routes: RouteCollection;
  readonly log: Logger;
  readonly configuration: { readonly debug: boolean };
}

export interface OpenApiOptions extends DescriptionOptions {
  /** Returns the application, which is created after its extensions. */
  readonly app: () => DescribedApp;
  /** Path of the document. Default `/openapi.json`. */
  readonly path?: string;
  /**
   * Path of a page that shows the document with the package swagger-ui-dist; only in debug. Default `/docs`; false
   * omits it.
   */
  readonly viewer?: string | false;
}

/** An extension for `createApp({ extensions: [openApi({ … })] })`. */
export interface OpenApi {
  readonly name: 'openapi';
  readonly routes: readonly OpenApiRoute[];
  /** Returns the document for the current routes, and what could not be described. */
  describe(): DescribedApplication;
}

/** Marks the controller that serves the document, so that commands can find its generator. */
const documentSource: AttributeType<() => DescribedApplication> =
  defineAttribute<() => DescribedApplication>('openapi');

/**
 * Creates an extension that serves the OpenAPI 3.1 document of the application at `/openapi.json` and, in debug, a page
 * that shows it. The document is generated when it is first requested, and again after routes change. Parts that could
 * not be described are logged as warnings on the channel `openapi`.
 */
export function openApi(options: OpenApiOptions): OpenApi {
  refuseUnknownOptions('openApi()', options, 'app path viewer', {
    ...descriptionOptionNames,
  });
  const { app: findApp, path = '/openapi.json', viewer = '/docs', ...description } = options;
  let generated: { readonly version: number; readonly described: DescribedApplication } | undefined;
  const appOf = (): DescribedApp => {
    const app: DescribedApp | undefined = findApp();
    if (app === undefined) throw openApiErrors.create('OPENAPI_NO_APP', {});
    return app;
  };
  const describe = (): DescribedApplication => {
    const { routes, log } = appOf();
    if (generated?.version !== routes.version) {
      generated = { version: routes.version, described: createOpenApiDocument(routes, description) };
      for (const problem of generated.described.problems) log.channel('openapi').warning(problem);
    }
    return generated.described;
  };
  const serve = (): HttpResponse => HttpResponse.json(describe().document);
  const controller = annotate(serve, documentSource.of(describe));
  const isShown = (): boolean => appOf().configuration.debug;
  return {
    name: 'openapi',
    routes: [
      { name: '_openapi', path, methods: ['GET'], controller, operation: false },
      ...(viewer === false
        ? []
        : viewerRoutes({ path: viewer, document: path, title: options.info.title, isShown })),
    ],
    describe,
  };
}

/**
 * Returns the document of a collection of routes: from its `openApi` extension, otherwise with the given options and
 * without access rules.
 */
export function describeRoutes(routes: RouteCollection, fallback: DescriptionOptions): DescribedApplication {
  for (const route of routes.all()) {
    const target = controllerFunction(routeFacts(route).controller);
    const [describe] = target === undefined ? [] : attributesOf(documentSource, target);
    if (describe !== undefined) return describe();
  }
  return createOpenApiDocument(routes, fallback);
}

interface ViewerOptions {
  /** Path of the page. */
  readonly path: string;
  /** Path of the document. */
  readonly document: string;
  readonly title: string;
  readonly isShown: () => boolean;
}

/** Files of swagger-ui-dist that the page loads, with their types. */
const files = [
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['swagger-ui.css', 'text/css; charset=utf-8'],
] as const;

/**
 * Returns the routes of the page that shows the document and of the files of its library, all served by the application
 * itself.
 */
function viewerRoutes({ path, document, title, isShown }: ViewerOptions): readonly OpenApiRoute[] {
  const base = path.replace(/\/+$/, '');
  const common = { methods: ['GET'], operation: false, condition: isShown } as const;
  return [
    { ...common, name: '_openapi_viewer', path: base, controller: () => page({ base, document, title }) },
    ...files.map(([file, type], index) => ({
      ...common,
      name: `_openapi_viewer_${index}`,
      path: `${base}/${file}`,
      controller: async () => {
        const headers = { 'Content-Type': type, 'Cache-Control': 'private, max-age=3600' };
        return new HttpResponse(await readFile(fileOf(file)), { headers });
      },
    })),
  ];
}

function page({ base, document, title }: { base: string; document: string; title: string }): HttpResponse {
  fileOf(files[0][0]);
  const settings = { url: document, dom_id: '#viewer', deepLinking: true, validatorUrl: null };
  const start = createScriptAsset(`SwaggerUIBundle(${JSON.stringify(settings).replaceAll('<', '\\u003c')})`);
  const body = html`<link rel="stylesheet" href="${base}/swagger-ui.css" />
    <div id="viewer"></div>
    <script src="${base}/swagger-ui-bundle.js"></script>`;
  const response = HttpResponse.html(renderDocument(body, { lang: 'en', title, assets: [start] }));
  const policy = contentSecurityPolicy({ assets: [start], connect: 'self', images: 'data' })
    .replace("style-src 'none'", "style-src 'self'")
    .replace('script-src ', "script-src 'self' ");
  response.headers.set('Content-Security-Policy', policy);
  return response;
}

/** Returns the path of a file of swagger-ui-dist. Throws `OPENAPI_VIEWER_MISSING` if the package is not installed. */
function fileOf(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
  } catch (cause) {
    throw openApiErrors.create('OPENAPI_VIEWER_MISSING', {}, { cause });
  }
}

/** A route as data, for `createApp`. */
export interface OpenApiRoute {
  readonly name: string;
  readonly path: string;
  readonly methods: readonly string[];
  readonly controller: ControllerTarget;
  readonly operation: false;
  readonly condition?: () => boolean;
}

const table = {
  OPENAPI_VIEWER_MISSING: {
    message:
      'The page that shows the OpenAPI document needs the package swagger-ui-dist, which is not installed.',
    fix: 'Run "npm install --save-dev --ignore-scripts swagger-ui-dist", or set viewer: false.',
  },
  OPENAPI_NO_APP: {
    message: 'The OpenAPI document was requested before the application was created.',
    fix: 'Return the application from the function app among the options of openApi.',
  },
} as const;

/** Errors in the description of an application. */
export const openApiErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { contentSecurityPolicy, createScriptAsset, html, renderDocument } from '#html';
import { HttpResponse } from '#http';
import { openApiErrors } from './error-codes.js';
import type { OpenApiRoute } from './open-api-route.js';

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

/** The page that shows the document, and the files of its library, all from the application's own origin. */
export function viewerRoutes({ path, document, title, isShown }: ViewerOptions): readonly OpenApiRoute[] {
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

/** Throws `OPENAPI_VIEWER_MISSING` where the package is not installed. */
function fileOf(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
  } catch (cause) {
    throw openApiErrors.create('OPENAPI_VIEWER_MISSING', {}, { cause });
  }
}

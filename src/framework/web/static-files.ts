import { realpathSync, statSync } from 'node:fs';
import {
  callable,
  checkOptions,
  either,
  listOf,
  oneOf,
  optionsSchema,
  type OptionsSchema,
  regularExpression,
  text,
  textWith,
} from '#core/options';
import { type HttpRequest, HttpResponse, locationOf } from '#core/http';
import { kernelListener, kernelPriority, requestEvent, routingOutcome } from '#framework/kernel';
import { answerFile, contentTypeOf, findFileBelow } from './file-content.js';
import { type ImmutableOptions, immutableFiles } from './immutable-files.js';
import { webErrors, type WebExtension } from './web-extension.js';

export interface StaticFilesOptions extends ImmutableOptions {
  /** The folder's URL path. Default `/`. */
  readonly path?: string;
  /** File that answers for a folder, at the folder's path with a trailing slash; false for none. Default `index.html`. */
  readonly index?: string | false;
  /** `Cache-Control` for files that may change. Default `no-cache`: cached, but revalidated each time. */
  readonly cacheControl?: string;
}

const immutablePlace = either(text, regularExpression);

export const staticFilesSchema: OptionsSchema<StaticFilesOptions> = optionsSchema<StaticFilesOptions>({
  path: textWith('a path, such as "/assets"', (value) => value.startsWith('/')),
  index: either(text, oneOf(false)),
  cacheControl: text,
  immutable: either(either(immutablePlace, listOf(immutablePlace)), callable()),
  manifest: text,
});

const foreverCacheControl = 'public, max-age=31536000, immutable';

/**
 * Serves a folder's files for requests that match no route. Access rules apply. Hidden files, and symbolic links that
 * lead out of the folder, are not served. Throws `WEB_FOLDER_MISSING`, `WEB_MANIFEST_UNREADABLE`, `WEB_BAD_OPTION`.
 */
export function staticFiles(folder: string, options: StaticFilesOptions = {}): WebExtension {
  checkOptions('staticFiles()', options, staticFilesSchema);
  const { index = 'index.html', cacheControl = 'no-cache' } = options;
  const root = realFolder(folder);
  const prefix = (options.path ?? '/').replace(/\/$/, '');
  const immutable = immutableFiles(options, prefix);

  /**
   * `path` is below the root, with a leading slash. A folder without a trailing slash is redirected to the path with
   * it, for relative links.
   */
  async function answer(request: HttpRequest, path: string): Promise<HttpResponse | undefined> {
    const isFolder = path.endsWith('/');
    if (isFolder && index === false) return undefined;
    const name = isFolder ? path + String(index) : path;
    const file = await findFileBelow(root, name);
    if (file === 'folder' && !isFolder && index !== false) {
      const isServed = typeof (await findFileBelow(root, `${path}/${index}`)) === 'object';
      const location = locationOf(`${request.basePath}${request.rawPath}/`, request.rawQuery);
      return isServed ? HttpResponse.redirect(location, { status: 301 }) : undefined;
    }
    if (typeof file !== 'object') return undefined;
    return answerFile(request, file, {
      'Content-Type': contentTypeOf(name),
      'Cache-Control': immutable(name) ? foreverCacheControl : cacheControl,
      'X-Content-Type-Options': 'nosniff',
    });
  }

  return {
    name: 'static files',
    listeners: [
      kernelListener(
        requestEvent,
        (event) => {
          const { request } = event;
          if (!isMissed(request) || !`${request.path}/`.startsWith(`${prefix}/`)) return;
          return answer(request, request.path.slice(prefix.length)).then((response) => {
            if (response === undefined) return;
            request.scope.set(routingOutcome, { kind: 'answered' });
            event.response = response;
          });
        },
        { name: `static files of ${prefix}/`, priority: kernelPriority.request.files },
      ),
    ],
  };
}

function isMissed({ method, scope }: HttpRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const kind = scope.getOwn(routingOutcome)?.kind;
  return kind === 'not-found' || kind === 'method-not-allowed';
}

function realFolder(folder: string): string {
  try {
    const root = realpathSync(folder);
    if (statSync(root).isDirectory()) return root;
  } catch {
    // reported below
  }
  throw webErrors.create('WEB_FOLDER_MISSING', { folder });
}

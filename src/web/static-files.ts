import { realpathSync, statSync } from 'node:fs';
import { refuseUnknownOptions } from '#coded-error';
import { type HttpRequest, HttpResponse, locationOf } from '#http';
import { kernelListener, kernelPriority, requestEvent, routingOutcome } from '#kernel';
import { answerFile, contentTypeOf, findFileBelow } from './file-content.js';
import { webErrors, type WebExtension } from './web-extension.js';

export interface StaticFilesOptions {
  /** URL path of the folder. Default `/`. */
  readonly path?: string;
  /** File that answers for a folder, at the folder's path with a trailing slash; false for none. Default `index.html`. */
  readonly index?: string | false;
  /** `Cache-Control` of files that may change. Default `no-cache`: cached, but revalidated each time. */
  readonly cacheControl?: string;
  /** Selects files that never change and are cached for a year. Default: those with a hash in their name, like `app.3f2a9c1b.js`. */
  readonly immutable?: (path: string) => boolean;
}

const foreverCacheControl = 'public, max-age=31536000, immutable';

/**
 * Serves the files of a folder for requests that match no route. Access rules apply. Hidden files, and targets of symbolic links outside the folder, are not served. Throws
 * `WEB_FOLDER_MISSING`.
 */
export function staticFiles(folder: string, options: StaticFilesOptions = {}): WebExtension {
  refuseUnknownOptions('staticFiles()', options, 'path index cacheControl immutable');
  const root = realFolder(folder);
  const prefix = (options.path ?? '/').replace(/\/$/, '');
  return {
    name: 'static files',
    listeners: [
      kernelListener(
        requestEvent,
        (event) => {
          const { request } = event;
          if (!isMissed(request) || !request.path.startsWith(`${prefix}/`)) return;
          return answerStaticFile(request, { root, path: request.path.slice(prefix.length), options }).then(
            (response) => {
              if (response === undefined) return;
              request.scope.set(routingOutcome, { kind: 'answered' });
              event.response = response;
            },
          );
        },
        { name: `static files of ${prefix}/`, priority: kernelPriority.request.files },
      ),
    ],
  };
}

interface FileRequest {
  readonly root: string;
  /** Path below the root, with a leading slash. */
  readonly path: string;
  readonly options: StaticFilesOptions;
}

function isMissed({ method, scope }: HttpRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const kind = scope.getOwn(routingOutcome)?.kind;
  return kind === 'not-found' || kind === 'method-not-allowed';
}

async function answerStaticFile(
  request: HttpRequest,
  target: FileRequest,
): Promise<HttpResponse | undefined> {
  const { root, options } = target;
  const { index = 'index.html' } = options;
  const isFolder = target.path.endsWith('/');
  if (isFolder && index === false) return undefined;
  const path = isFolder ? target.path + String(index) : target.path;
  const file = await findFileBelow(root, path);
  if (file === 'folder') return isFolder ? undefined : redirectToFolder(request, target);
  if (file === undefined) return undefined;
  const { cacheControl = 'no-cache', immutable = isHashedName } = options;
  const headers = {
    'Content-Type': contentTypeOf(path),
    'Cache-Control': immutable(path) ? foreverCacheControl : cacheControl,
    'X-Content-Type-Options': 'nosniff',
  };
  return answerFile(request, file, headers);
}

/** Redirects to the path with a trailing slash, which the relative links of an index need. */
async function redirectToFolder(
  request: HttpRequest,
  { root, path, options }: FileRequest,
): Promise<HttpResponse | undefined> {
  const { index = 'index.html' } = options;
  if (index === false || typeof (await findFileBelow(root, `${path}/${index}`)) !== 'object')
    return undefined;
  return HttpResponse.redirect(locationOf(`${request.rawPath}/`, request.rawQuery), { status: 301 });
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

/** Captures the part before the extension: `app.3f2a9c1b.js`, `index-DiwrgTda.css`. */
const hashedNamePattern = /[.-]([A-Za-z0-9_]{8,64})\.[A-Za-z0-9]{1,8}$/;

/**
 * Whether a file's name contains a hash of its content, as bundlers write it: at least eight characters, with letters and
 * digits or with letters of both cases. Words, dates and version numbers are not hashes.
 */
export function isHashedName(path: string): boolean {
  const hash = hashedNamePattern.exec(path.slice(-200))?.[1];
  if (hash === undefined || !/[A-Za-z]/.test(hash)) return false;
  return /\d/.test(hash) || (/[a-z]/.test(hash) && /[A-Z]/.test(hash.slice(1)));
}

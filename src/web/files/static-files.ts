import { realpathSync, statSync } from 'node:fs';
import { type HttpRequest, HttpResponse } from '#http';
import { kernelListener, requestEvent, routingOutcome } from '#kernel';
import { chooseEncoding } from '../choose-encoding.js';
import { isCompressibleType } from '../compressible-type.js';
import { webErrors } from '../error-codes.js';
import type { WebExtension } from '../web-extension.js';
import { webPriority } from '../web-priority.js';
import { answerContent } from './answer-content.js';
import { contentTypeOf, fileContent } from './file-content.js';
import { type FoundFile, findFileBelow } from './find-file.js';

export interface StaticFilesOptions {
  /** Where the folder is mapped to. Default `/`. */
  readonly path?: string;
  /** Answers for a folder, at its path with a slash at the end; false for none. Default `index.html`. */
  readonly index?: string | false;
  /** `Cache-Control` of files that may change. Default `no-cache`: cached, but revalidated each time. */
  readonly cacheControl?: string;
  /** Which files never change and are kept for a year. Default: those with a hash in their name, like `app.3f2a9c1b.js`. */
  readonly immutable?: (path: string) => boolean;
}

const foreverCacheControl = 'public, max-age=31536000, immutable';
const siblingSuffixes = { br: '.br', zstd: '.zst', gzip: '.gz' } as const;
const siblingCodings = ['br', 'zstd', 'gzip'] as const;

/**
 * Serves the files of a folder for requests that match no route, or a `.br`, `.zst` or `.gz` sibling to clients that
 * accept it. Access rules apply. Hidden files, and targets of symbolic links outside the folder, are not served. Throws
 * `WEB_FOLDER_MISSING`.
 */
export function staticFiles(folder: string, options: StaticFilesOptions = {}): WebExtension {
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
          return answer(request, { root, path: request.path.slice(prefix.length), options }).then(
            (response) => {
              if (response === undefined) return;
              request.scope.set(routingOutcome, { kind: 'answered' });
              event.response = response;
            },
          );
        },
        { name: `static files of ${prefix}/`, priority: webPriority.request.files },
      ),
    ],
  };
}

interface Asked {
  readonly root: string;
  /** Below the root, with a slash at the beginning. */
  readonly path: string;
  readonly options: StaticFilesOptions;
}

function isMissed({ method, scope }: HttpRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const kind = scope.getOwn(routingOutcome)?.kind;
  return kind === 'not-found' || kind === 'method-not-allowed';
}

async function answer(request: HttpRequest, asked: Asked): Promise<HttpResponse | undefined> {
  const { root, options } = asked;
  const { index = 'index.html' } = options;
  const isFolder = asked.path.endsWith('/');
  if (isFolder && index === false) return undefined;
  const path = isFolder ? asked.path + String(index) : asked.path;
  const file = await findFileBelow(root, path);
  if (file === 'folder') return isFolder ? undefined : redirectToFolder(request, asked);
  if (file === undefined) return undefined;
  return answerFile(request, file, { ...asked, path });
}

/** Relative links of an index need the slash. */
async function redirectToFolder(
  request: HttpRequest,
  { root, path, options }: Asked,
): Promise<HttpResponse | undefined> {
  const { index = 'index.html' } = options;
  if (index === false || typeof (await findFileBelow(root, `${path}/${index}`)) !== 'object')
    return undefined;
  const query = request.rawQuery === '' ? '' : `?${request.rawQuery}`;
  return HttpResponse.redirect(`${request.rawPath}/${query}`, { status: 301 });
}

async function answerFile(request: HttpRequest, file: FoundFile, asked: Asked): Promise<HttpResponse> {
  const { path, options } = asked;
  const { cacheControl = 'no-cache', immutable = isHashedName } = options;
  const type = contentTypeOf(path);
  const varies = isCompressibleType(type);
  const sibling = varies ? await findSibling(request, asked) : undefined;
  const headers = {
    'Content-Type': type,
    'Cache-Control': immutable(path) ? foreverCacheControl : cacheControl,
    'X-Content-Type-Options': 'nosniff',
    ...(varies ? { Vary: 'Accept-Encoding' } : {}),
    ...(sibling === undefined ? {} : { 'Content-Encoding': sibling.coding }),
  };
  return answerContent(request, fileContent(sibling?.file ?? file, headers));
}

interface Sibling {
  readonly coding: (typeof siblingCodings)[number];
  readonly file: FoundFile;
}

/** The compressed file that the client likes best; one is looked for only where the client takes its coding. */
async function findSibling(request: HttpRequest, { root, path }: Asked): Promise<Sibling | undefined> {
  const accept = request.headers.get('accept-encoding');
  const left = new Set(siblingCodings);
  for (;;) {
    const coding = chooseEncoding(accept, [...left]);
    if (coding === undefined) return undefined;
    const file = await findFileBelow(root, path + siblingSuffixes[coding]);
    if (typeof file === 'object') return { coding, file };
    left.delete(coding);
  }
}

function realFolder(folder: string): string {
  try {
    const root = realpathSync(folder);
    if (statSync(root).isDirectory()) return root;
  } catch {
    // said below
  }
  throw webErrors.create('WEB_FOLDER_MISSING', { folder });
}

/** What stands between the last separators of a name: `app.3f2a9c1b.js`, `index-DiwrgTda.css`. */
const hashedNamePattern = /[.-]([A-Za-z0-9_]{8,64})\.[A-Za-z0-9]{1,8}$/;

/**
 * Whether a file's name has a hash of its content, as bundlers write it: eight characters or more, letters and digits
 * or letters of both cases mixed. Words, dates and version numbers are none.
 */
export function isHashedName(path: string): boolean {
  const hash = hashedNamePattern.exec(path.slice(-200))?.[1];
  if (hash === undefined || !/[A-Za-z]/.test(hash)) return false;
  return /\d/.test(hash) || (/[a-z]/.test(hash) && /[A-Z]/.test(hash.slice(1)));
}

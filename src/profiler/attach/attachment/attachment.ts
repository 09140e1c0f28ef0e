import { createRedactor, headerText } from '#core/dump';
import { HttpResponse, type TrustPolicy, createTrustPolicy, HttpRequest } from '#core/http';
import { writeQuietly } from '#core/log';
import { readOptions } from '#core/options';
import {
  type AccessGuard,
  type AccessSettingNames,
  createAccessGuard,
  type DeclaredRoute,
  type DeclaredRoutes,
  type ErrorFacts,
  findErrorFacts,
  isClientHidden,
  requestRecording,
  WithheldNotices,
} from '#profiler';
import { describeThrown, watchLocalVariables } from '#core/errors';
import {
  type AssembledProfiler,
  assembleProfiler,
  environmentOf,
  warnOfUnknownVariables,
  whyInMemory,
} from '#profiler/setup';
import { replayOverLoopback, toPageRequest, AttachedPages, sendResponse } from '../pages/attached-pages.js';
import {
  type AttachOptions,
  type AttachSettings,
  attachSchema,
  readSettings,
  whenReady,
} from '../watch/attach-options.js';
import { Exchange, findExchange, readSentResponse, statusOfError } from '../watch/exchange.js';
import { followMethods, unfollowMethods } from '../watch/followed-methods.js';
import {
  type ForeignRequest,
  type ForeignResponse,
  isRecordable,
  readForeignSource,
} from '../watch/foreign-message.js';

/** Milliseconds that the first request waits for the store, so that a hanging store does not delay it for long. */
const readyMs = 5000;

const maxFailures = 20;

/** A request to continue with: watched if it has an exchange, or answered with a profiler page. */
type Opened = { readonly exchange: Exchange | undefined } | { readonly page: () => Promise<HttpResponse> };

/**
 * The profiler attached to other servers: creates exchanges and serves the profiler's pages. Closed once for all
 * servers.
 */
export class Attachment {
  readonly settings: AttachSettings;
  #assembled: AssembledProfiler | undefined;
  #pages: AttachedPages | undefined;
  #closing: Promise<void> | undefined;
  #unwatch: (() => void) | undefined;
  readonly #trust: TrustPolicy;
  readonly #guard: AccessGuard;
  #withheld: WithheldNotices | undefined;
  /** The routes declared by all routers, and each router's size when it was read. */
  readonly #routes = new Map<string, DeclaredRoute>();
  readonly #sizes = new WeakMap<object, number>();
  #hasAllRoutes = true;
  /** Failures already reported on stderr. Bounded. */
  readonly #failures = new Set<string>();

  constructor(options: AttachOptions = {}) {
    warnOfUnknownVariables(process.env);
    this.settings = readSettings(options);
    this.#trust = createTrustPolicy({ trustedProxies: this.settings.trustedProxies });
    this.#guard = createAccessGuard(this.settings.access);
  }

  /**
   * Creates the profiler ahead of the first request, which would otherwise wait for it. The store is opened with the
   * first record.
   */
  prepare(): AssembledProfiler {
    if (this.#assembled !== undefined) return this.#assembled;
    followMethods(); // keeps the methods replaced between requests
    if (this.settings.store === 'memory:' && !this.settings.isStoreGiven) warnOfMemory();
    const assembled = (this.#assembled = assembleProfiler({
      settings: this.settings,
      additions: this.settings.additions,
      flatten: { mapsPackages: false },
      warn,
    }));
    if (this.settings.locals && environmentOf(process.env) === 'dev')
      assembled.profiler.whenQuiet(() => (this.#unwatch = watchLocalVariables()));
    return assembled;
  }

  /**
   * Opens the store. Resolves when the first tokens are reserved, or after a short timeout; returns undefined if there
   * is nothing to wait for. Unless `keepsAlive` is false, the process stays alive meanwhile, because an application
   * that awaits its start would otherwise end.
   */
  ready(options?: { readonly keepsAlive: boolean }): Promise<void> | undefined {
    if (!this.settings.enabled) return undefined;
    return this.guarded(() => this.prepare().profiler.ready(readyMs, options), undefined);
  }

  /** Shields requests from profiler failures: reports each distinct error once on stderr and returns `instead`. */
  guarded<Result>(work: () => Result, instead: Result): Result {
    try {
      return work();
    } catch (error) {
      this.failed(error);
      return instead;
    }
  }

  failed(error: unknown): void {
    const line = `The profiler failed; the request was not affected: ${createRedactor().text(describeThrown(error))}`;
    if (this.#failures.has(line) || this.#failures.size >= maxFailures) return;
    this.#failures.add(line);
    warn(line);
  }

  /**
   * Serves the profiler's pages to clients with access, and watches all other requests while `next` handles them.
   * Requests already watched (for example by `--import lookback/register`) pass unchanged, except that this attachment
   * shows the error page if enabled.
   */
  handle<Result>(
    incoming: ForeignRequest,
    outgoing: ForeignResponse,
    next: () => Result,
  ): Result | undefined {
    if (!this.settings.enabled) return next();
    const known = findExchange(incoming);
    if (known !== undefined) {
      if (this.settings.errorPage) known.showErrorsBy(this);
      return next();
    }
    const opened = this.open(incoming, outgoing);
    if (!('page' in opened)) return opened.exchange === undefined ? next() : opened.exchange.run(next);
    opened
      .page()
      .then((page) => sendResponse(outgoing, page))
      .catch(() => undefined); // the client has disconnected
    return undefined;
  }

  /**
   * Returns the exchange of a request, creating it if needed (undefined if the request is not recorded, because
   * sampling skips it, a test made it up or the profiler failed), or the profiler page it asks for. Never throws.
   */
  open(incoming: ForeignRequest, outgoing: ForeignResponse): Opened {
    return this.guarded<Opened>(() => this.#open(incoming, outgoing), { exchange: undefined });
  }

  #open(incoming: ForeignRequest, outgoing: ForeignResponse): Opened {
    const known = findExchange(incoming);
    if (known !== undefined) return { exchange: known };
    if (!isRecordable(incoming, outgoing)) return { exchange: undefined };
    const request = new HttpRequest(readForeignSource(incoming), { trust: this.#trust, keepsMethod: true });
    const { settings } = this;
    const isShown = this.isShown(request);
    if (!isShown) this.#noteWithheld(request);
    if (isShown && settings.pages && this.pages.has(request))
      return { page: () => this.pages.respond(toPageRequest(incoming, outgoing, this.#trust)) };
    const assembled = this.prepare();
    const recording = assembled.profiler.sample(request, { mayProfile: isShown });
    if (recording === undefined) return { exchange: undefined };
    assembled.look();
    request.scope.set(requestRecording, recording);
    if (!isShown) request.scope.set(isClientHidden, true);
    const hasLink = isShown && settings.pages && !recording.isTailSampled;
    const link = hasLink
      ? `${request.origin}${request.basePath}${settings.prefix}/${recording.token}`
      : undefined;
    return { exchange: new Exchange(incoming, outgoing, { request, recording, settings, link, end: this }) };
  }

  /** The profiler's pages, created on first use. A separate server may also serve them. */
  get pages(): AttachedPages {
    const { prefix, pages } = this.settings;
    return (this.#pages ??= new AttachedPages(prefix, {
      pages: () =>
        this.prepare().pages({
          prefix,
          access: () => ({ allowed: true }), // callers check access
          replay: pages ? replayOverLoopback : undefined, // pages on another port do not know the application's port
        }),
      failed: (error) => this.failed(error),
    }));
  }

  /** Returns whether this client may see records and error pages. */
  isShown(request: HttpRequest): boolean {
    return this.#guard(request).allowed;
  }

  /**
   * In development, explains on stderr why a person gets no profiler page or toolbar. Not needed for requests by
   * scripts.
   */
  #noteWithheld(request: HttpRequest): void {
    if (environmentOf(process.env) !== 'dev' || !this.settings.pages) return;
    const isVisit = request.headers.get('sec-fetch-mode') === 'navigate';
    if (!isVisit && !this.pages.has(request)) return;
    this.#withheld ??= new WithheldNotices({ names: accessSettings, write: warn });
    const path = (): string => createRedactor().text(request.rawPath);
    this.#withheld.note({ request, path, access: this.#guard(request) });
  }

  /**
   * Returns the error page if it is enabled and the client may see it. For frameworks that send the result of a
   * middleware.
   */
  errorPage(exchange: Exchange, error: unknown): Promise<HttpResponse> | undefined {
    const isShown = this.settings.errorPage && this.isShown(exchange.request);
    if (!isShown) return undefined;
    return renderErrorPage(exchange, error, () => this.#factsOf(exchange));
  }

  /** Reads facts from the current and earlier records for the error page; nothing if no page shows records. */
  async #factsOf({ link, recording }: Exchange): Promise<ErrorFacts> {
    if (link === undefined) return {};
    const prefix = link.slice(0, link.lastIndexOf('/'));
    return findErrorFacts({ reader: this.prepare().profiler, prefix }, recording.token);
  }

  /** Sends the error page if it is enabled and the client may see it. Returns false if the framework must respond. */
  answerError(exchange: Exchange, error: unknown): boolean {
    const { outgoing } = exchange;
    const rendering = outgoing.headersSent ? undefined : this.errorPage(exchange, error);
    if (rendering === undefined) return false;
    rendering
      .then((page) =>
        outgoing.headersSent || outgoing.writableEnded ? undefined : sendResponse(outgoing, page),
      )
      .catch(() => outgoing.destroy());
    return true;
  }

  /** Writes pending records and closes the store. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close().finally(() => (this.#closing = undefined)));
  }

  async #close(): Promise<void> {
    if (this.#assembled === undefined) return;
    unfollowMethods();
    this.#unwatch?.();
    await this.#assembled.close();
    this.#assembled = this.#pages = undefined;
  }

  declare(router: object, size: number, list: () => DeclaredRoutes): void {
    if (this.#sizes.get(router) === size) return;
    this.#sizes.set(router, size);
    this.guarded(() => {
      const { routes, isComplete } = list();
      for (const route of routes) this.#routes.set(route.name, route);
      this.#hasAllRoutes &&= isComplete;
      const all = [...this.#routes.values()];
      this.#assembled?.profiler.declareRoutes({ routes: all, isComplete: this.#hasAllRoutes });
    }, undefined);
  }

  over(exchange: Exchange): void {
    this.guarded(
      () => this.#assembled?.profiler.finish(exchange.recording, undefined, readSentResponse(exchange)),
      undefined,
    );
  }
}

/** Settings that grant access to records, by refusal reason. */
const accessSettings: AccessSettingNames = {
  hosts: 'the option access.hosts',
  peers: 'DEBUG_ALLOWED_PEERS',
  origins: 'the option access.origins',
  trustedProxies: 'the option trustedProxies',
};

/** Warns if records are kept in memory, unless that was chosen. */
function warnOfMemory(): void {
  const isChosen = (process.env['PROFILER_STORE'] ?? '').trim() !== '';
  const why = isChosen || environmentOf(process.env) === 'test' ? undefined : whyInMemory();
  if (why !== undefined) warn(`records are kept in memory, as ${why}: set PROFILER_STORE`);
}

/** Writes a warning about the profiler itself to stderr. */
function warn(line: string): void {
  writeQuietly(() => process.stderr.write(`lookback: ${line}\n`));
}

let shared: Attachment | undefined; // one per process, shared by callers without options

/** Creates an attachment with options; without any, returns the one shared by the whole process. */
export function attachmentOf(options?: AttachOptions): Attachment {
  const given = readOptions('lookback', options, attachSchema);
  return Object.keys(given).length === 0 ? (shared ??= new Attachment()) : new Attachment(given);
}

/**
 * Renders the detailed error page in a format that the client accepts. Records the error, and prints it as the
 * framework would.
 */
async function renderErrorPage(
  exchange: Exchange,
  error: unknown,
  factsOf: () => Promise<ErrorFacts>,
): Promise<HttpResponse> {
  const { request, recording } = exchange;
  const { flattenError, renderErrorAnswer, renderErrorTerminal } = await import('#core/errors'); // loaded with the first error
  const report = { ...flattenError(error, {}), status: statusOfError(error) };
  recording.error(error, report);
  writeQuietly(() => process.stderr.write(`${renderErrorTerminal(report)}\n`));
  const answer = renderErrorAnswer(report, {
    debug: true,
    accept: request.headers.get('accept'),
    contentType: request.headers.get('content-type'),
    context: {
      request: {
        method: request.method,
        url: `${request.origin}${request.publicTarget}`,
        headers: [...request.headers].map(([name, value]) => [name, headerText(value)]),
      },
      record: { token: recording.token, link: exchange.link ?? '' },
      ...(report.status >= 500 && (await factsOf())),
    },
  });
  const response = new HttpResponse(answer.body, { status: answer.status });
  for (const [name, value] of answer.headers) response.headers.append(name, value);
  return response;
}

/** A change to a framework or server that can be undone. */
export interface Detachable {
  /** Stops recording; requests in flight are still recorded to their end. */
  detach(): void;
  /** Detaches, writes pending records and closes the store. */
  close(): Promise<void>;
}

/** Adds methods to a middleware or other target that undo its changes. */
export function makeDetachable<Target extends object>(
  target: Target,
  attachment: Attachment,
  detach: () => void,
): Target & Detachable {
  const close = (): Promise<void> => {
    detach();
    return attachment.close();
  };
  return Object.assign(target, { detach, close, [whenReady]: () => attachment.ready() });
}

import { createRedactor } from '#dump';
import type { HttpResponse, TrustPolicy } from '#http';
import { createTrustPolicy, HttpRequest } from '#http';
import type { AccessGuard, Profiler } from '#profiler';
import {
  createAccessGuard,
  createOutgoingCollectors,
  createDbCollector,
  createProfiler,
  createStore,
  storeNameOf,
  requestRecording,
} from '#profiler';
import { queryExplainer, type StartedTaps, startTaps } from '#taps';
import { replayOverLoopback, toPageRequest } from '../pages/page-request.js';
import type { AttachedPages } from '../pages/attached-pages.js';
import { sendResponse } from '../pages/send-response.js';
import { createAttachedPages } from '../pages/attached-pages.js';
import type { AttachOptions } from '../watch/attach-options.js';
import { renderAttachedErrorPage, showError } from './show-error.js';
import { Exchange, findExchange } from '../watch/exchange.js';
import { followMethods, unfollowMethods } from '../watch/followed-methods.js';
import type { ForeignRequest, ForeignResponse } from '../watch/foreign-message.js';
import { readForeignSource } from '../watch/foreign-source.js';
import { readSentResponse } from '../watch/sent-response.js';
import type { AttachSettings } from '../watch/settings.js';
import { readSettings } from '../watch/settings.js';

/** The profiler attached to other servers: starts exchanges and serves the profiler's pages. Closed once for all servers. */
export class Attachment {
  readonly settings: AttachSettings;
  #profiler: Profiler | undefined;
  #pages: AttachedPages | undefined;
  readonly #trust: TrustPolicy;
  readonly #guard: AccessGuard;
  #listening: { close(): void }[] = [];
  #taps: StartedTaps | undefined;

  constructor(options: AttachOptions = {}) {
    this.settings = readSettings(options);
    this.#trust = createTrustPolicy({ trustedProxies: this.settings.trustedProxies ?? [] });
    this.#guard = createAccessGuard(this.settings.access);
  }

  get isEnabled(): boolean {
    return this.settings.enabled;
  }

  /** Created with the first request, so that a process without requests opens no store. */
  get profiler(): Profiler {
    return (this.#profiler ??= this.#createProfiler());
  }

  /**
   * Answers requests for the profiler's pages if the client has access; watches all others while `next` answers them. A
   * request that is already watched (for example by `--import lookback/register`) is passed on unchanged, except that
   * this attachment shows the error page if it is set to.
   */
  handle<Result>(
    incoming: ForeignRequest,
    outgoing: ForeignResponse,
    next: () => Result,
  ): Result | undefined {
    if (!this.isEnabled) return next();
    const known = findExchange(incoming);
    if (known !== undefined) {
      if (this.settings.errorPage) known.showErrorsBy(this);
      return next();
    }
    const opened = this.open(incoming, outgoing);
    if ('exchange' in opened) return opened.exchange === undefined ? next() : opened.exchange.run(next);
    opened
      .page()
      .then((page) => sendResponse(outgoing, page))
      .catch(() => undefined); // the client has disconnected
    return undefined;
  }

  /**
   * Returns the new or existing exchange of a request (undefined if sampling skips it), or the profiler page that it
   * requests.
   */
  open(
    incoming: ForeignRequest,
    outgoing: ForeignResponse,
  ): { readonly exchange: Exchange | undefined } | { readonly page: () => Promise<HttpResponse> } {
    const known = findExchange(incoming);
    if (known !== undefined) return { exchange: known };
    const request = new HttpRequest(readForeignSource(incoming), { trust: this.#trust });
    const isShown = this.#guard(request).allowed;
    if (isShown && this.settings.pages && this.pages.has(request))
      return { page: () => this.pages.respond(toPageRequest(incoming, outgoing, this.#trust)) };
    return { exchange: this.#begin(request, { incoming, outgoing, isShown }) };
  }

  /** The profiler's pages, created on first use. A separate server may serve them as well. */
  get pages(): AttachedPages {
    const { prefix, panels, editor } = this.settings;
    return (this.#pages ??= createAttachedPages({
      reader: this.profiler,
      prefix,
      explainer: queryExplainer,
      access: () => ({ allowed: true }), // the callers check access
      replay: this.settings.pages ? replayOverLoopback : undefined, // pages on another port do not know the application's port
      ...(panels === undefined ? {} : { panels }),
      ...(editor === undefined ? {} : { editor }),
    }));
  }

  /** Whether this client may see records and error pages. */
  isShown(request: HttpRequest): boolean {
    return this.#guard(request).allowed;
  }

  /** Returns the error page if it is enabled and the client may see it. For frameworks that send what a middleware returns. */
  async errorPage(exchange: Exchange, error: unknown): Promise<HttpResponse | undefined> {
    return this.settings.errorPage && this.isShown(exchange.request)
      ? renderAttachedErrorPage(exchange, error)
      : undefined;
  }

  /** Sends the error page if it is enabled and the client may see it. Returns false if the framework must answer. */
  answerError(exchange: Exchange, error: unknown): boolean {
    const { errorPage } = this.settings;
    if (!errorPage || exchange.outgoing.headersSent || !this.isShown(exchange.request)) return false;
    showError(exchange, error).catch(() => exchange.outgoing.destroy());
    return true;
  }

  /** Writes the remaining records and closes the store. */
  async close(): Promise<void> {
    this.#taps?.stop();
    for (const collector of this.#listening.splice(0)) collector.close();
    await this.#profiler?.close();
    this.#profiler = this.#pages = this.#taps = undefined;
  }

  #begin(
    request: HttpRequest,
    {
      incoming,
      outgoing,
      isShown,
    }: { incoming: ForeignRequest; outgoing: ForeignResponse; isShown: boolean },
  ): Exchange | undefined {
    const recording = this.profiler.sample(request, { mayProfile: isShown });
    if (recording === undefined) return undefined;
    this.#taps?.look();
    request.scope.set(requestRecording, recording);
    return new Exchange(incoming, outgoing, {
      request,
      recording,
      bodies: this.settings.bodies,
      link:
        isShown && this.settings.pages && !recording.isOnTrial
          ? `${request.origin}${this.settings.prefix}/${recording.token}`
          : undefined,
      toolbar: this.settings.toolbar ? this.settings.prefix : undefined,
      end: this,
    });
  }

  over(exchange: Exchange): void {
    this.#profiler?.finish(exchange.recording, undefined, readSentResponse(exchange));
  }

  #createProfiler(): Profiler {
    const { store, collectors = [], sinks = [], budgets } = this.settings;
    const redactor = createRedactor();
    const db = createDbCollector({ redactor });
    const outgoing = createOutgoingCollectors({ redactor });
    this.#listening = [db, outgoing, { close: unfollowMethods }];
    followMethods(); // keeps the methods replaced between requests
    this.#taps = startTaps({ recorder: () => this.profiler });
    return createProfiler({
      store: createStore(store),
      storeName: store,
      sample: this.settings.sample,
      redactor,
      collectors: [db, ...outgoing.collectors, ...collectors],
      budgets,
      sinks,
      config: {
        node: process.version,
        platform: `${process.platform} ${process.arch}`,
        store: storeNameOf(store),
      },
      onState: ({ status, ...state }) => {
        if (status !== 'ready')
          warn(`Records are kept in memory: ${'message' in state ? state.message : status}`);
      },
      onFailure: () => warn('The profiler failed; the request was not affected.'),
    });
  }
}

/** Writes a warning about the profiler itself to the standard error output. */
function warn(line: string): void {
  process.stderr.write(`lookback: ${line}\n`);
}

let shared: Attachment | undefined; // one per process, for all callers without options

/** Creates an attachment with options; without options, returns the one that is shared by the whole process. */
export function attachmentOf(options?: AttachOptions): Attachment {
  if (options !== undefined && Object.keys(options).length > 0) return new Attachment(options);
  return (shared ??= new Attachment());
}

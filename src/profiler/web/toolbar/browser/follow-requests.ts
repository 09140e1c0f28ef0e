/** A completed request from the page's scripts, with its record's token and link from the response. */
interface FollowedRequest {
  /** Empty if unknown. */
  readonly method: string;
  readonly url: string;
  /** 0 if unknown. */
  readonly status: number;
  readonly ms: number;
  readonly token: string | null;
  readonly link: string | null;
  /** The URL after redirects. */
  readonly finalUrl: string;
}

type NoteRequest = (request: FollowedRequest) => void;

/** Returns the token in an entry's `Server-Timing`; available even for pages from the cache or with status 304. */
const timedToken = (entry: PerformanceEntry | undefined): string | undefined =>
  entry instanceof PerformanceResourceTiming
    ? entry.serverTiming.find(({ name }) => name === 'lookback')?.description
    : undefined;

const shortUrl = (text: string): string => {
  try {
    const url = new URL(text, document.baseURI);
    return url.origin === location.origin ? url.pathname + url.search : url.href;
  } catch {
    return text;
  }
};

const followFetch = (note: NoteRequest): void => {
  window.fetch = new Proxy(window.fetch, {
    apply(target, self, args: Parameters<typeof fetch>) {
      const began = performance.now();
      const answer = Reflect.apply(target, self, args);
      if (!(answer instanceof Promise)) return answer;
      // Returns the derived promise, so that an unhandled rejection is still reported.
      return answer.then((response: Response) => {
        const [input, init] = args;
        const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
        const url = shortUrl(input instanceof Request ? input.url : String(input));
        const { headers, status } = response;
        const [token, link] = [headers.get('x-debug-token'), headers.get('x-debug-token-link')];
        note({
          method: method.toUpperCase(),
          url,
          status,
          ms: performance.now() - began,
          token,
          link,
          finalUrl: shortUrl(response.url),
        });
        return response;
      });
    },
  });
};

const followXhr = (note: NoteRequest): void => {
  const { prototype } = XMLHttpRequest;
  // oxlint-disable-next-line typescript/unbound-method -- the proxy passes `this` on
  prototype.open = new Proxy(prototype.open, {
    apply(target, self: XMLHttpRequest, args: [method: string, url: string | URL]) {
      const began = performance.now();
      const read = (): void => {
        // `getResponseHeader` would log an error for a header that the page may not read.
        const fields = self.getAllResponseHeaders();
        const field = (name: string): string | null =>
          new RegExp(`^${name}: (.*?)\\r?$`, 'im').exec(fields)?.[1] ?? null;
        const [method, url] = args;
        note({
          method: method.toUpperCase(),
          url: shortUrl(String(url)),
          status: self.status,
          ms: performance.now() - began,
          token: field('x-debug-token'),
          link: field('x-debug-token-link'),
          finalUrl: shortUrl(self.responseURL),
        });
      };
      self.addEventListener('loadend', read, { once: true });
      return Reflect.apply(target, self, args);
    },
  });
};

/** Reports requests sent before this script ran, from timing entries, which lack the method. */
const followTimings = (note: NoteRequest): void => {
  const read = (entry: PerformanceEntry): void => {
    const token = timedToken(entry);
    if (token === undefined || !(entry instanceof PerformanceResourceTiming)) return;
    if (entry.initiatorType !== 'fetch' && entry.initiatorType !== 'xmlhttprequest') return;
    const { name, duration } = entry;
    const status = (entry as { responseStatus?: number }).responseStatus ?? 0; // missing in the library's type
    const url = shortUrl(name);
    note({ method: '', url, status, ms: duration, token, link: null, finalUrl: url });
  };
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(read));
  observer.observe({ type: 'resource', buffered: true });
};

/**
 * Follows `fetch` and XMLHttpRequest, including requests sent before this script ran. Their behaviour does not change.
 */
// oxlint-disable-next-line no-unused-vars -- toolbar.ts is a part of the same script
const followRequests = (note: NoteRequest): void => {
  followFetch(note);
  followXhr(note);
  followTimings(note);
};

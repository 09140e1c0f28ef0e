/** A request of the page's scripts. */
interface FollowedRequest {
  /** Empty where it is not known. */
  readonly method: string;
  readonly url: string;
  /** 0 where it is not known. */
  readonly status: number;
  readonly ms: number;
}

/** Called for each request that was answered, with what the answer says of its record. */
type NoteRequest = (request: FollowedRequest, named: { token: string | null; link: string | null }) => void;

/** The record that a timing entry names: sent in `Server-Timing`, also where the page came from the cache or by 304. */
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
      // What is handed out is the promise behind ours: a failure that is not handled stays unhandled.
      return answer.then((response: Response) => {
        const [input, init] = args;
        const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
        const url = shortUrl(input instanceof Request ? input.url : String(input));
        const { headers, status } = response;
        note(
          { method: method.toUpperCase(), url, status, ms: performance.now() - began },
          { token: headers.get('x-debug-token'), link: headers.get('x-debug-token-link') },
        );
        return response;
      });
    },
  });
};

const followXhr = (note: NoteRequest): void => {
  const { prototype } = XMLHttpRequest;
  // oxlint-disable-next-line typescript/unbound-method -- the proxy hands its object on
  prototype.open = new Proxy(prototype.open, {
    apply(target, self: XMLHttpRequest, args: [method: string, url: string | URL]) {
      const began = performance.now();
      const read = (): void => {
        // Requesting one that the page may not see would be reported in the console.
        const fields = self.getAllResponseHeaders();
        const field = (name: string): string | null =>
          new RegExp(`^${name}: (.*?)\\r?$`, 'im').exec(fields)?.[1] ?? null;
        const [method, url] = args;
        note(
          {
            method: method.toUpperCase(),
            url: shortUrl(String(url)),
            status: self.status,
            ms: performance.now() - began,
          },
          { token: field('x-debug-token'), link: field('x-debug-token-link') },
        );
      };
      self.addEventListener('loadend', read, { once: true });
      return Reflect.apply(target, self, args);
    },
  });
};

/** What was asked before this script ran: reported when its answer is there, with an unknown method. */
const followTimings = (note: NoteRequest): void => {
  const read = (entry: PerformanceEntry): void => {
    const token = timedToken(entry);
    if (token === undefined || !(entry instanceof PerformanceResourceTiming)) return;
    if (entry.initiatorType !== 'fetch' && entry.initiatorType !== 'xmlhttprequest') return;
    const { name, duration } = entry;
    const status = (entry as { responseStatus?: number }).responseStatus ?? 0; // newer than the library's type
    note({ method: '', url: shortUrl(name), status, ms: duration }, { token, link: null });
  };
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(read));
  observer.observe({ type: 'resource', buffered: true });
};

/** Follows `fetch` and XMLHttpRequest, from before this script ran on. What pages see of both stays as it is. */
// oxlint-disable-next-line no-unused-vars -- toolbar.ts is a part of the same script
const followRequests = (note: NoteRequest): void => {
  followFetch(note);
  followXhr(note);
  followTimings(note);
};

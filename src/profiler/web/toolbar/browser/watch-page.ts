/** The browser's report on the page, in the shape that the server parses. */
interface PageReport {
  readonly timing: Readonly<Record<string, number | string>>;
  readonly errors: readonly { readonly message: string; readonly location: string; readonly count: number }[];
  readonly moreErrors: number;
  readonly failed: readonly { readonly url: string; readonly kind: string; readonly status: number }[];
  readonly moreFailed: number;
}

/** Delay between load and report in milliseconds, for late errors and the largest paint. */
const reportDelay = 2_500;
const maxReported = 20;
const maxReportedText = 500;

/** Returns navigation and largest-paint times, as far as known. */
const pageTimes = (painted: PerformanceEntry | undefined): PageReport['timing'] => {
  const [entry] = performance.getEntriesByType('navigation');
  if (!(entry instanceof PerformanceNavigationTiming)) return {};
  const { element, url = '' } = (painted ?? {}) as { element?: Element | null; url?: string }; // missing in the library's type
  const times = {
    firstByteMs: entry.responseStart,
    interactiveMs: entry.domContentLoadedEventEnd,
    loadMs: entry.loadEventEnd,
    largestPaintMs: painted?.startTime ?? 0,
  };
  const known = Object.entries(times).filter(([, ms]) => ms > 0);
  const what = `${element?.localName ?? ''} ${url === '' ? '' : shortUrl(url)}`.trim();
  return {
    ...Object.fromEntries(known),
    ...(what === '' ? {} : { largestPaint: what.slice(0, maxReportedText) }),
  };
};

/** The thrown value's name and message. It may be any value, and reading it may run code that throws. */
const describeError = (thrown: unknown): string => {
  try {
    return String((thrown instanceof Error && `${thrown.name}: ${thrown.message}`) || thrown);
  } catch {
    return 'a value that cannot be read';
  }
};

/**
 * Collects script errors, failed files and times, and passes them on once: some seconds after the load, or earlier if
 * the page is left. Failures in here never affect the page.
 */
// oxlint-disable-next-line no-unused-vars -- toolbar.ts is a part of the same script
const watchPage = (isOwn: (url: string) => boolean, send: (report: PageReport) => void): void => {
  const errors = new Map<string, { message: string; location: string; count: number }>();
  const failed = new Map<string, { url: string; kind: string; status: number }>();
  let [moreErrors, moreFailed] = [0, 0];
  let painted: PerformanceEntry | undefined;

  const addError = (thrown: unknown, location: string): void => {
    const message = describeError(thrown);
    const known = errors.get(message + location);
    if (known !== undefined) known.count++;
    else if (errors.size >= maxReported) moreErrors++;
    else errors.set(message + location, { message: message.slice(0, maxReportedText), location, count: 1 });
  };

  const addFailed = (address: string, kind: string, status: number): void => {
    const url = shortUrl(address).slice(0, maxReportedText);
    if (address === '' || isOwn(url)) return;
    const known = failed.get(url);
    if (known !== undefined) failed.set(url, { ...known, status: known.status || status });
    else if (failed.size >= maxReported) moreFailed++;
    else failed.set(url, { url, kind, status });
  };

  const onError = (event: Event): void => {
    if (event instanceof ErrorEvent) {
      const { filename, lineno, colno, error, message } = event;
      addError(error ?? message, filename === '' ? '' : `${shortUrl(filename)}:${lineno}:${colno}`);
    } else if (event.target instanceof Element) {
      const { localName } = event.target;
      const address = event.target.getAttribute('src') ?? event.target.getAttribute('href') ?? '';
      addFailed(address, localName, 0);
    }
  };
  const onRejection = ({ reason }: PromiseRejectionEvent): void => addError(reason, '');

  /** Adds files that failed before this script ran: by status, and images without a picture. */
  const addEarlier = (): void => {
    for (const entry of performance.getEntriesByType('resource')) {
      if (!(entry instanceof PerformanceResourceTiming)) continue;
      const status = (entry as { responseStatus?: number }).responseStatus ?? 0; // missing in the library's type
      // Requests by scripts appear in the page's request list.
      if (status < 400 || /^(?:fetch|xmlhttprequest|beacon)$/.test(entry.initiatorType)) continue;
      addFailed(entry.name, entry.initiatorType, status);
    }
    for (const image of document.images)
      if (
        image.complete &&
        image.naturalWidth === 0 &&
        image.currentSrc !== '' &&
        !/\.svg\b/.test(image.currentSrc)
      )
        addFailed(image.currentSrc, 'img', 0);
  };

  let isSent = false;
  const report = (): void => {
    if (isSent) return;
    isSent = true;
    removeEventListener('error', onError, true);
    removeEventListener('unhandledrejection', onRejection);
    addEarlier();
    send({
      timing: pageTimes(painted),
      errors: [...errors.values()],
      moreErrors,
      failed: [...failed.values()],
      moreFailed,
    });
  };

  addEventListener('error', onError, true);
  addEventListener('unhandledrejection', onRejection);
  if (PerformanceObserver.supportedEntryTypes.includes('largest-contentful-paint'))
    new PerformanceObserver((list) => {
      painted = list.getEntries().at(-1) ?? painted;
    }).observe({ type: 'largest-contentful-paint', buffered: true });
  const onLoad = (): void => void setTimeout(report, reportDelay);
  if (document.readyState === 'complete') onLoad();
  else addEventListener('load', onLoad, { once: true });
  addEventListener('pagehide', report, { once: true });
};

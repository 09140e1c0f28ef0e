import type { Redactor } from '#core/dump';

/** A record's `browser` section: the report from the browser that showed the page, sent by its toolbar. */
export interface BrowserSection {
  readonly timing: BrowserTiming;
  readonly errors: readonly BrowserError[];
  /** Number of errors not listed. */
  readonly moreErrors: number;
  readonly failed: readonly FailedAsset[];
  readonly moreFailed: number;
}

/** Milliseconds since the navigation began; absent if not reported or not reached. */
export interface BrowserTiming {
  readonly firstByteMs?: number;
  readonly interactiveMs?: number;
  readonly loadMs?: number;
  /** When the largest image or text was painted. */
  readonly largestPaintMs?: number;
  /** The painted element: `img /photo.jpg`, `h1`. */
  readonly largestPaint?: string;
}

export interface BrowserError {
  readonly message: string;
  /** `/app.js:12:3`; empty if unknown. */
  readonly location: string;
  readonly count: number;
}

/** One of the page's scripts, style sheets, images or other files that failed to load. */
export interface FailedAsset {
  readonly url: string;
  /** `img`, `script`, `link` …; empty if unknown. */
  readonly kind: string;
  /** 0 if unknown. */
  readonly status: number;
}

/** Maximum report size in bytes. */
export const maxReportBytes = 32_768;
const maxErrors = 20;
const maxFailed = 20;
const maxText = 500;
/** Longer times are ignored: a clock was set, or the tab slept. */
const maxMs = 3_600_000;
const maxCount = 100_000;

/** Parses a toolbar's report: redacts and bounds every text, and omits unknown fields. Undefined if it is malformed. */
export function parseBrowserReport(text: string, redactor: Redactor): BrowserSection | undefined {
  const report = parseJson(text);
  if (report === undefined) return undefined;
  const errors = entriesOf(report['errors']);
  const failed = entriesOf(report['failed']);
  return {
    timing: readTiming(fieldsOf(report['timing']) ?? {}, redactor),
    errors: errors.slice(0, maxErrors).map(({ message, location, count }) => ({
      message: textOf(message, redactor),
      location: urlOf(location, redactor),
      count: Math.max(1, numberOf(count, maxCount) ?? 1),
    })),
    moreErrors: Math.max(0, errors.length - maxErrors) + (numberOf(report['moreErrors'], maxCount) ?? 0),
    failed: failed.slice(0, maxFailed).map(({ url, kind, status }) => ({
      url: urlOf(url, redactor),
      kind: /^[a-z]{1,20}$/.exec(String(kind))?.[0] ?? '',
      status: numberOf(status, 999) ?? 0,
    })),
    moreFailed: Math.max(0, failed.length - maxFailed) + (numberOf(report['moreFailed'], maxCount) ?? 0),
  };
}

const timingFields = ['firstByteMs', 'interactiveMs', 'loadMs', 'largestPaintMs'] as const;

function readTiming(fields: Fields, redactor: Redactor): BrowserTiming {
  const times = timingFields.flatMap((name) => {
    const ms = numberOf(fields[name], maxMs);
    return ms === undefined ? [] : [[name, ms] as const];
  });
  const largestPaint = urlOf(fields['largestPaint'], redactor);
  return { ...Object.fromEntries(times), ...(largestPaint === '' ? {} : { largestPaint }) };
}

type Fields = Readonly<Record<string, unknown>>;

function parseJson(text: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields) // just checked
    : undefined;
}

function entriesOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf).filter((one) => one !== undefined) : [];
}

function numberOf(value: unknown, max: number): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= max ? Math.round(value * 10) / 10 : undefined;
}

/** Redacted before truncation, because the remainder of a truncated secret would not be recognised. */
function textOf(value: unknown, redactor: Redactor): string {
  return typeof value === 'string' ? redactor.text(value).slice(0, maxText) : '';
}

function urlOf(value: unknown, redactor: Redactor): string {
  return typeof value === 'string' ? redactor.text(redactor.url(value)).slice(0, maxText) : '';
}

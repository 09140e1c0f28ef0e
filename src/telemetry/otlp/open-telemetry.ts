import { type OptionNames, refuseUnknownOptions, optionNames } from '#coded-error';
import type { RecordSink } from '#profiler';
import type { OtlpExporter, OtlpLog, OtlpSpan } from './otlp-items.js';
import { toOtlpLogs } from './to-otlp-logs.js';
import { type OtlpOptions, toOtlpSpans, otlpOptionNames } from './to-otlp-spans.js';

/** Exporters, as created by their packages. */
export interface OpenTelemetryOptions extends OtlpOptions {
  /** `new OTLPTraceExporter()` of `@opentelemetry/exporter-trace-otlp-proto` (protobuf) or `…-http` (JSON). */
  readonly traces?: OtlpExporter<OtlpSpan>;
  /** `new OTLPLogExporter()` of `@opentelemetry/exporter-logs-otlp-proto` or `…-http`. */
  readonly logs?: OtlpExporter<OtlpLog>;
  /**
   * Called when an export fails, with the number of items that were lost; at most once a minute. Default: emits a
   * process warning.
   */
  readonly onFailure?: (problem: string) => void;
}

const openTelemetryOptionNames: OptionNames<OpenTelemetryOptions> = optionNames('traces logs onFailure', {
  ...otlpOptionNames,
});

/** The extension that sends records to OpenTelemetry. */
export interface OpenTelemetryExtension {
  readonly name: string;
  readonly sinks: readonly RecordSink[];
}

/** Maximum number of items per export and in the queue, and maximum milliseconds before an export. */
const limits = { batch: 512, waiting: 8192, delayMs: 500 };
const reportIntervalMs = 60_000;

/**
 * Creates an extension that sends each record of this process as spans and log lines to the given exporters: all that
 * are recorded (with the same sampling), independently of the store. Each span contains the token of its record and the
 * URL of its page.
 */
export function openTelemetry(options: OpenTelemetryOptions): OpenTelemetryExtension {
  refuseUnknownOptions('openTelemetry()', options, openTelemetryOptionNames);
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = options.onFailure ?? ((problem) => process.emitWarning(problem, { code: 'LOOKBACK_OTLP' }));
  const failed = (problem: string): void => {
    if (performance.now() - reportedAt < reportIntervalMs) return;
    reportedAt = performance.now();
    report(problem);
  };
  const spans = options.traces && new ExportQueue(options.traces, { what: 'spans', failed });
  const lines = options.logs && new ExportQueue(options.logs, { what: 'lines', failed });
  const sink: RecordSink = {
    name: 'opentelemetry',
    take(records) {
      for (const record of records) {
        spans?.add(toOtlpSpans(record, options));
        lines?.add(toOtlpLogs(record, options));
      }
    },
    async close() {
      await Promise.all([spans?.close(), lines?.close()]);
    },
  };
  return { name: 'opentelemetry', sinks: [sink] };
}

/** Queue of items for an exporter. One export runs at a time; beyond the limit the oldest items are dropped. */
class ExportQueue<Item> {
  readonly #exporter: OtlpExporter<Item>;
  readonly #what: string;
  readonly #failed: (problem: string) => void;
  #waiting: Item[] = [];
  #lost = 0;
  #sending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    exporter: OtlpExporter<Item>,
    { what, failed }: { readonly what: string; readonly failed: (problem: string) => void },
  ) {
    this.#exporter = exporter;
    this.#what = what;
    this.#failed = failed;
  }

  add(items: readonly Item[]): void {
    this.#waiting.push(...items);
    const excess = this.#waiting.length - limits.waiting;
    if (excess > 0) {
      this.#waiting.splice(0, excess);
      this.#lose(excess, 'more come than are taken');
    }
    if (this.#waiting.length >= limits.batch) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), limits.delayMs).unref();
  }

  async close(): Promise<void> {
    while (this.#waiting.length > 0 || this.#sending !== undefined) {
      this.#send();
      await this.#sending;
    }
    clearTimeout(this.#timer);
    await this.#exporter.shutdown();
  }

  #send(): void {
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
  }

  async #sendAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.length > 0) {
      const items = this.#waiting.splice(0, limits.batch);
      const problem = await this.#export(items);
      if (problem !== undefined) this.#lose(items.length, problem);
    }
  }

  #export(items: Item[]): Promise<string | undefined> {
    return new Promise((resolve) => {
      try {
        this.#exporter.export(items, ({ code, error }) =>
          resolve(code === 0 ? undefined : (error?.message ?? `code ${code}`)),
        );
      } catch (error) {
        resolve(error instanceof Error ? error.message : 'it threw');
      }
    });
  }

  #lose(count: number, why: string): void {
    this.#lost += count;
    this.#failed(`${this.#lost} ${this.#what} were not exported so far: ${why}.`);
  }
}

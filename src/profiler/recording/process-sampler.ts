import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { ProcessSample } from '../encoding/encoded-record.js';
import { guardTimer } from './failure-notes.js';
import { hostname } from 'node:os';

/**
 * Samples memory and event loop on a timer, because sampling per request would cost more than the request
 * itself.
 */
export interface ProcessSampler {
  readonly sample: ProcessSample;
  stop(): void;
}

const sampleIntervalMs = 1000;

/** Starts a sampler. If sampling fails, calls `failed` and keeps the last values. */
export function createProcessSampler(failed: (error: unknown) => void): ProcessSampler {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let before = performance.eventLoopUtilization();
  let memory = { rss: 0, heapUsed: 0, heapTotal: 0, external: 0 };
  const take = (): ProcessSample => {
    try {
      memory = process.memoryUsage(); // opens a file on Linux, so it can fail with EMFILE
    } catch (error) {
      failed(error);
    }
    const { rss, heapUsed, heapTotal, external } = memory;
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    // The histogram includes the 20 ms timer interval.
    const mean = Number.isFinite(delay.mean) ? delay.mean / 1e6 - 20 : 0;
    const max = delay.max > 0 ? delay.max / 1e6 - 20 : 0;
    delay.reset();
    const eventLoop = {
      meanDelayMs: rounded(mean),
      maxDelayMs: rounded(max),
      utilization: rounded(utilization),
    };
    const at = performance.now();
    const runtime = { memory: { rss, heapUsed, heapTotal, external }, eventLoop };
    return { runtime, at, epoch: Date.now() - at };
  };
  let sample = take();
  const look = guardTimer(() => (sample = take()), failed);
  const timer = setInterval(look, sampleIntervalMs);
  timer.unref();
  return {
    get sample() {
      return sample;
    },
    stop() {
      clearInterval(timer);
      delay.disable();
    },
  };
}

function rounded(value: number): number {
  return Math.max(0, Math.round(value * 1000) / 1000);
}

/** The process that made a record (`host:pid`), and the application version. */
export interface ProcessOrigin {
  readonly instance: string;
  readonly version: string;
}

/**
 * Identifies this process. The version is `APP_VERSION`, or the package version if npm started the process.
 */
export function processOrigin(): ProcessOrigin {
  const { APP_VERSION, npm_package_version: packageVersion } = process.env;
  return { instance: `${hostname()}:${process.pid}`, version: APP_VERSION ?? packageVersion ?? '' };
}

import type { Collector } from '../model/collector.js';
import { cpuCollector } from '../watch/cpu/cpu-profiler.js';
import { spanCollector } from './span-collector.js';

/** Those of every profiler. */
export const ownCollectors: readonly Collector[] = [spanCollector, cpuCollector];

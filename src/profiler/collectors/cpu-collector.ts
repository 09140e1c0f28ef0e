import type { Collector } from '../model/collector.js';
import { cpuSectionOf } from '../tape/cpu/cpu-profiler.js';
import { type CompletedPart, definePart } from './define-part.js';

export const cpuPart: CompletedPart = definePart({});

/** Collects the CPU profile of a request, as `cpu`. */
export const cpuCollector: Collector = {
  name: 'cpu',
  part: cpuPart,
  collect: ({ request }) => cpuSectionOf(request.scope),
};

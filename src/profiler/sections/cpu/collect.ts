import type { CollectedSection } from '../section.js';
import { cpuSectionOf } from '../../recording/cpu-profiler.js';
import { cpuDefinition } from './section.js';

/** Collects a request's CPU profile as `cpu`. */
export const cpuCollector: CollectedSection = {
  definition: cpuDefinition,
  collect: ({ request }) => cpuSectionOf(request.scope),
};

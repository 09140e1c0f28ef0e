import type { CollectedSection } from '../section.js';
import { findTrace, receivedTrace } from '../../model/request-trace.js';
import { type TraceSection, traceDefinition } from './section.js';

export const traceCollector: CollectedSection = {
  definition: traceDefinition,
  collect({ request }): TraceSection | undefined {
    const [trace, received] = [findTrace(request), receivedTrace(request)];
    return trace === undefined && received === undefined
      ? undefined
      : { trace: trace ?? null, received: received ?? null };
  },
};

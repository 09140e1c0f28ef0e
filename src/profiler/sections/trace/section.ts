import type { RequestTrace } from '../../model/request-trace.js';
import { type SectionDefinition, defineSection } from '../define-section.js';

/** A record's `trace` section: the trace the request belongs to (W3C Trace Context). */
export interface TraceSection {
  /** Null if no trace was continued or started. */
  readonly trace: RequestTrace | null;
  /** Trace id sent by the client. */
  readonly received: string | null;
}

export const traceDefinition: SectionDefinition = defineSection<TraceSection>({ id: 'trace' });

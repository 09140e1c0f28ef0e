import type { RequestLimits } from '../../source/request-limits.js';
import { defaultRequestLimits } from '../../source/request-limits.js';

/** What one client may cost. Times in milliseconds. */
export interface ServerLimits extends RequestLimits {
  /** Bytes of request line and header block together (431). */
  readonly headerBytes: number;
  /** Until the header block has arrived (408). */
  readonly headerTimeout: number;
  /** Until the whole request has arrived (408). */
  readonly requestTimeout: number;
  /** A connection without a request. */
  readonly keepAliveTimeout: number;
  /** A client that takes none of the response. */
  readonly writeTimeout: number;
  /** Connections at a time, of all clients together; those beyond it are closed as they come. */
  readonly maxConnections: number;
  /** Refused byte streams a second that get the full answer and a record; the rest get a short one and are counted. */
  readonly refusalsPerSecond: number;
}

/** Header block 16 KiB; 15 s, 60 s and 5 s; 10,000 connections; 200 full refusals a second. */
export const defaultServerLimits: ServerLimits = Object.freeze({
  ...defaultRequestLimits,
  headerBytes: 16_384,
  headerTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5000,
  writeTimeout: 60_000,
  maxConnections: 10_000,
  refusalsPerSecond: 200,
});

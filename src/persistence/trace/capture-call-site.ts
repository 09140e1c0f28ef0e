import { noteCallSites } from '#errors';
import type { CallSite } from './channels.js';

/**
 * The application's calls that led here, innermost first. Awaited calls count too, as far as V8 still knows them;
 * packages, Node itself and lookback are left out.
 */
export function captureCallSite(): readonly CallSite[] {
  return noteCallSites(captureCallSite, { depth: 80, limit: 12 })();
}

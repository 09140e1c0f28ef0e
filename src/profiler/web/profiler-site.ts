import type { EditorLinker } from '#errors';
import type { Retention } from '../model/profile-store.js';
import type { Panel } from '../panels/panel.js';
import type { ProfilerLinks } from './links.js';
import type { MissLimiter } from './miss-limiter.js';
import type { ProfileReader } from './profile-reader.js';

/** What every page of the profiler shares. Holds nothing of a request but the counts of misses. */
export interface ProfilerSite {
  readonly reader: ProfileReader;
  readonly links: ProfilerLinks;
  readonly panels: readonly Panel[];
  readonly misses: MissLimiter;
  readonly editor: EditorLinker;
  readonly retention: Retention | undefined;
  readonly now: () => number;
}

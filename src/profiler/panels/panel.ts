import type { EditorLinker } from '#errors';
import type { ProfileQuery } from '../model/profile-query.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import type { Block, PanelBadge } from './blocks/block.js';
import type { ProfilerFacts } from './blocks/state-blocks.js';

/** How a database would answer a query of the record, or why it does not say. */
export interface QueryPlan {
  /** Place of the query in the record. */
  readonly query: number;
  readonly blocks: readonly Block[];
}

/** What a panel may need in addition to the record. */
export interface PanelContext {
  /** Address of this or another panel of the record, with a query of its own. */
  link(panel: string, query?: Readonly<Record<string, string | undefined>>): string;
  /** Address of a row of a panel, which is named by its id or by the section that it shows. */
  linkTo(target: { readonly panel: string; readonly anchor?: string }): string;
  /** Address of another record. */
  recordLink(token: string): string;
  /** A value of the page's query that belongs to the panel, at most 300 characters; empty where there is none. */
  query(name: string): string;
  /** Makes links that open a place in the reader's editor; gives undefined where none is set. */
  readonly editor: EditorLinker;
  /** The whole panel is wanted at once, as for the Markdown of a record, and not a page of it. */
  readonly isWhole?: boolean;
  /** The records that the panel's `related` selects, newest first, at most 50. */
  readonly related: readonly ProfileSummary[];
  /** Where queries can be explained: the address of that action, the names of connections, and a plan that was just requested. */
  readonly explain?: {
    readonly href: string;
    knows(connection: string): boolean;
    readonly plan?: QueryPlan;
  };
  /** How the profiler itself is at this moment. */
  readonly profiler: ProfilerFacts;
}

/**
 * Port: one page of a record, declared as data. `show` returns blocks; the same blocks become HTML and Markdown. If a
 * panel throws, only its own page shows a note. `show` is called for every view and keeps no state.
 */
export interface Panel {
  /** The value of `?panel=`: lower case letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  /** Path data on a 24 × 24 grid, drawn with a stroke; `panelIcons` holds some. */
  readonly icon: string;
  /** Name of the section that it shows; sections that no panel names are shown under “Other data”. */
  readonly section?: string;
  /** False keeps a badge of neutral tone out of the toolbar. */
  readonly inToolbar?: false;
  /** The badge of the menu; undefined for a panel with nothing to say about this record. */
  badge(record: ProfileRecord): PanelBadge | 'plain' | undefined;
  /** Whether the record opens at this panel if its address names none. Default no. */
  opens?(record: ProfileRecord): boolean;
  show(record: ProfileRecord, context: PanelContext): readonly Block[];
  /** Which other records it shows; they are `related` of its context. */
  related?(record: ProfileRecord): ProfileQuery | undefined;
  /**
   * A document of the record, as HTML, for a block `document` whose link has `document=NAME`. It is shown in a sandbox: nothing of it
   * runs or is loaded.
   */
  document?(record: ProfileRecord, name: string): string | undefined;
}

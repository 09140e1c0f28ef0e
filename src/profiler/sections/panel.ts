import type { EditorLinker, ErrorHistory } from '#core/errors';
import type { ProfileQuery } from '../model/profile-query.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import type { Block, PanelBadge } from '../view/block.js';

/** Group in the record page's menu: the request's work, the request itself, or the process. */
export type SectionGroup = 'work' | 'request' | 'process';

/** The database's plan for a query in the record, or the reason why there is none. */
export interface QueryPlan {
  readonly query: number;
  readonly blocks: readonly Block[];
}

/** Links, settings and related data for a panel, besides the record. */
export interface PanelContext {
  /** Returns this or another panel's URL in the record, with query parameters. */
  link(panel: string, query?: Readonly<Record<string, string | undefined>>): string;
  /** Returns a row's URL; the panel is given by its own id or its section's. */
  linkTo(target: { readonly panel: string; readonly anchor?: string }): string;
  /** Returns another record's URL. */
  recordLink(token: string): string;
  /** Returns one of the page's query parameters, at most 300 characters; empty if absent. */
  query(name: string): string;
  /** Creates links that open a position in the reader's editor; undefined if no editor is configured. */
  readonly editor: EditorLinker;
  /** The error's history; set only for the exception panel. */
  readonly history?: ErrorHistory;
  /** Records selected by the panel's `related`, newest first, at most 50. */
  readonly related: readonly ProfileSummary[];
  /**
   * Present if queries can be explained: URL of the action, test for known connections, and the plan just requested.
   */
  readonly explain?: {
    readonly href: string;
    knows(connection: string): boolean;
    readonly plan?: QueryPlan;
  };
}

/**
 * Port: one panel of a record, declared as data. `show` returns blocks, which become HTML or Markdown. It is called for
 * every view and must not keep state. If a panel throws, only its own page is affected and shows a note.
 */
export interface Panel {
  /** Value of `?panel=`: lowercase letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  /** Group of the menu. Default: `work`. */
  readonly group?: SectionGroup;
  /** Name of the section that the panel shows; sections without a panel are shown under “Other data”. */
  readonly section?: string;
  /** Returns the menu badge, or `plain` for none; undefined if the panel has nothing to show for the record. */
  badge(record: ProfileRecord): PanelBadge | 'plain' | undefined;
  /** Whether the record opens at this panel if the URL names none. Default: no. */
  opens?(record: ProfileRecord): boolean;
  show(record: ProfileRecord, context: PanelContext): readonly Block[];
  /** Selects other records for the panel; they become `related` in its context. */
  related?(record: ProfileRecord): ProfileQuery | undefined;
  /** Returns a `document` block's HTML document (`document=NAME`), which is shown in a sandbox. */
  document?(record: ProfileRecord, name: string): string | undefined;
}

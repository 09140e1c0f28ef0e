import type { ControllerContext } from 'lookback';
import type { SecurityUser } from 'lookback/security';
import type { VNode } from 'preact';
import type { Language } from '../languages.js';

/** The argument of the journal's controllers. */
export type Context = ControllerContext<Readonly<Record<string, string>>>;

/** What a page shows about its reader. */
export interface Reader {
  readonly user: SecurityUser | undefined;
  readonly mayEdit: boolean;
  readonly isAdmin: boolean;
}

/** A page without its frame. */
export interface Page {
  readonly title: string;
  readonly content: VNode;
  /** Default 200. */
  readonly status?: number;
  /** The page's address in another language. Default: the same path under that language. */
  readonly pathIn?: (language: Language) => string;
}

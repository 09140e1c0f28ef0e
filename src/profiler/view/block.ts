import type { Snapshot } from '#core/dump';
import type { EditorLinker, ErrorReport, InputDifference } from '#core/errors';
import type { TimeBreakdown, TimeCategory } from '../model/time-breakdown.js';

/** What a colour means, which a word or an icon always conveys too. */
export type Tone = 'neutral' | 'ok' | 'info' | 'warn' | 'error';

/** A value with additional information. All text is plain and escaped when rendered. */
export interface RichValue {
  readonly text: string;
  /** Link target: relative, http(s), a URL of a known editor, or one with `scheme`. */
  readonly href?: string;
  /** The URL scheme for the reader's editor including the colon, as returned by `PanelContext.editor`. */
  readonly scheme?: string;
  readonly tone?: Tone;
  readonly mono?: boolean;
  readonly muted?: boolean;
  /** Kept on one line, where its end may be cut; the title shows the whole text. */
  readonly isLine?: true;
  /** Shows a copy button next to the value. */
  readonly copy?: boolean;
  /** Milliseconds since 1970; shown in the reader's time zone if scripts run. */
  readonly time?: number;
  /** A dumped value, shown as a tree instead of the text. */
  readonly snapshot?: Snapshot;
  /** An SQL statement, whose keywords are highlighted. */
  readonly isSql?: true;
  /** Draws a bar with this share, from 0 to 1, below the text, in the `category` colour. */
  readonly share?: number;
  /** Category, whose colour key precedes the text. */
  readonly category?: TimeCategory;
  /** Draws bars instead of the text: the shares of `category` before and after a change, from 0 to 1. */
  readonly change?: { readonly before: number; readonly after: number };
  /** Shown instead of the text, which describes them, with colours for their two sides. */
  readonly differences?: readonly InputDifference[];
  /** Draws a column for each number instead of the text, which describes them. */
  readonly bars?: readonly number[];
}

/** Content of a cell, a field or a list item: text, a number, or text with a link, a tone or a snapshot. */
export type Value = string | number | RichValue;

/** A prominent figure with a label. */
export interface Metric {
  readonly label: string;
  readonly value: string | number;
  readonly tone?: Tone;
}

/** Badge next to a panel's name in the menu. */
export interface PanelBadge {
  readonly count: number;
  readonly tone: Extract<Tone, 'neutral' | 'warn' | 'error'>;
  /** Count with its noun, for summary chips and screen readers: `2 errors`. */
  readonly words: string;
}

/** A notable fact: "blog.ts:12 ran the same query 43 times". */
export interface Finding {
  readonly tone: Tone;
  /** Kind in a word or two, shown before the title. */
  readonly kind?: string;
  readonly title: string;
  readonly detail?: string;
  readonly href?: string;
  /** The part of the title that names a source location, with its own link. */
  readonly location?: RichValue;
}

/** A table column. */
export interface TableColumn {
  readonly label: string;
  readonly align?: 'end';
  /** The column takes the remaining width. */
  readonly grow?: boolean;
  /** The column is hidden in narrow windows. */
  readonly minor?: boolean;
}

/** A table row, with one cell per column. */
export interface Row {
  readonly cells: readonly Value[];
  /** The row's `id` for links, unique on the page: `query-3`. */
  readonly anchor?: string;
  readonly tone?: Tone;
  /** Shown when the row is expanded. */
  readonly detail?: readonly Block[];
  /** The detail is always visible and cannot be folded. */
  readonly open?: boolean;
  /** The detail is initially expanded. */
  readonly isUnfolded?: boolean;
}

/** One timeline bar; times in milliseconds since the request began. */
export interface Span {
  readonly label: string;
  readonly start: number;
  readonly duration: number;
  /** For a bar that combines several spans: the time they cover, without the gaps. */
  readonly busy?: number;
  /** The spans combined in the bar, each drawn at its position in its colour; empty if their positions are unknown. */
  readonly parts?: readonly CombinedSpan[];
  /** How often the step ran, shown before the label, with its parts as a comb. */
  readonly repeats?: number;
  /** Nesting depth; 0 for the outermost spans. */
  readonly depth?: number;
  /**
   * Category that determines the colour: a `TimeCategory`, `stage`, `listener`; others have the application's colour.
   */
  readonly category?: string;
  readonly detail?: string;
  readonly href?: string;
}

export interface CombinedSpan {
  readonly start: number;
  readonly duration: number;
  readonly category: string;
}

export interface Mark {
  /** Milliseconds since the request began. */
  readonly at: number;
  readonly label: string;
  readonly tone: Tone;
  readonly href: string;
}

/** One box in a flame graph: a function call, whose width is the share of time spent in it and its callees. */
export interface Flame {
  readonly label: string;
  /** Depth below the outermost call. */
  readonly depth: number;
  /** Left edge, as a share of the total width from 0 to 1; so is `width`. */
  readonly start: number;
  readonly width: number;
  readonly title: string;
  readonly isOwn: boolean;
  readonly href: string;
}

/** Panel content as data. One renderer turns it into HTML, another into Markdown. */
export type Block =
  | { readonly kind: 'metrics'; readonly metrics: readonly Metric[] }
  | { readonly kind: 'findings'; readonly findings: readonly Finding[] }
  /** A record's main figure, the typical value, and the sentence that explains it. */
  | {
      readonly kind: 'answer';
      readonly ms: number;
      readonly usual: string;
      /** How long the route's other requests took, if there are enough for a typical one. */
      readonly others?: readonly number[];
      readonly sentence: Finding;
      readonly breakdown: TimeBreakdown;
    }
  | { readonly kind: 'note'; readonly tone: Tone; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'section';
      readonly title: string;
      readonly count?: number;
      /** Shown next to the title in the muted colour. */
      readonly hint?: string;
      /** A link at the end of the title line. */
      readonly more?: { readonly label: string; readonly href: string };
      /** The section can be folded and is initially folded. */
      readonly folded?: boolean;
      readonly blocks: readonly Block[];
    }
  | {
      readonly kind: 'table';
      /** Read to screen readers, and shown if it says that rows were omitted (`isCut`). */
      readonly caption: string;
      readonly isCut?: true;
      readonly columns: readonly TableColumn[];
      readonly rows: readonly Row[];
      /** Text shown if there are no rows. */
      readonly empty?: string;
    }
  | {
      readonly kind: 'pairs';
      readonly label: string;
      readonly pairs: readonly (readonly [key: string, value: Value])[];
      readonly empty?: string;
    }
  /** A dumped value as a tree. */
  | { readonly kind: 'snapshot'; readonly label: string; readonly snapshot: Snapshot }
  | {
      readonly kind: 'code';
      readonly label: string;
      readonly text: string;
      /** Language for syntax highlighting: `json`, `ts`, `sql`, `text`. */
      readonly language?: string;
      /** The faulty part of the text, as indexes. */
      readonly mark?: readonly [from: number, to: number];
      /** A line below the faulty part: the value of a placeholder. */
      readonly markValue?: string;
    }
  | {
      readonly kind: 'timeline';
      readonly label: string;
      /** Axis length in milliseconds. */
      readonly total: number;
      readonly spans: readonly Span[];
      readonly marks?: readonly Mark[];
      /** For the whole request: adds an overview above the rows, a column of start times, and a legend below. */
      readonly breakdown?: TimeBreakdown;
    }
  | { readonly kind: 'flames'; readonly label: string; readonly flames: readonly Flame[] }
  /** A foreign document in a sandboxed frame; `href` is the URL of a panel's `document`. */
  | { readonly kind: 'document'; readonly label: string; readonly href: string }
  | {
      readonly kind: 'filters';
      readonly label: string;
      /** Whether the label is visible; otherwise it is only for screen readers. */
      readonly isTitled?: boolean;
      readonly filters: readonly FilterLink[];
    }
  /** A button that submits a form to a path on this server. */
  | {
      readonly kind: 'form';
      readonly label: string;
      readonly action: string;
      readonly fields: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'columns';
      readonly columns: readonly (readonly Block[])[];
      /** The second column is narrow, for secondary content. */
      readonly isAside?: true;
    }
  | {
      readonly kind: 'errors';
      readonly report: ErrorReport;
      readonly editor: EditorLinker;
      /** Shown between the only error's message and its calls; the error's data is then folded. */
      readonly lead?: readonly Block[];
    };

/** One filter choice, as a link. */
export interface FilterLink {
  readonly label: string;
  readonly count?: number;
  readonly href: string;
  readonly chosen: boolean;
}

/** Blocks, some of which may be absent: `[isCut && note(…), rows]`. */
export type Blocks = Block | false | null | undefined | readonly Blocks[];

/** A name and its value, which may be missing. */
export type Pair = readonly [key: string, value: Value | null | undefined];

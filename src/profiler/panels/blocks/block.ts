import type { Picture } from '#dump';
import type { EditorLinker, ErrorReport } from '#errors';

/** The meaning of a colour; a word or an icon always carries it too. */
export type Tone = 'neutral' | 'ok' | 'info' | 'warn' | 'error';

/** A value with additional information. Text is text: it is escaped wherever it is shown. */
export interface RichValue {
  readonly text: string;
  /** Where a click leads; relative, http(s), an editor's scheme or `scheme`. */
  readonly href?: string;
  /** The scheme of the reader's own editor with its colon, as `PanelContext.editor` gives it. */
  readonly scheme?: string;
  readonly tone?: Tone;
  readonly mono?: boolean;
  readonly muted?: boolean;
  /** Puts a copy button beside the value. */
  readonly copy?: boolean;
  /** Milliseconds since 1970: shown in the reader's own zone where a script may run. */
  readonly time?: number;
  /** A pictured value, shown as a tree in place of the text. */
  readonly picture?: Picture;
}

/** What a cell, a field or a list item shows: text, a number, or either with a link, a tone or a picture. */
export type Value = string | number | RichValue;

/** A big number with a name. */
export interface Metric {
  readonly label: string;
  readonly value: string | number;
  readonly unit?: string;
  readonly tone?: Tone;
}

/** The mark next to a panel's name in the menu. */
export interface PanelBadge {
  readonly count: number;
  readonly tone: Extract<Tone, 'neutral' | 'warn' | 'error'>;
  /** Says what is counted, for the summary's chips and for those who listen: `2 errors`. */
  readonly words: string;
}

/** A fact worth reading first: "43 queries of the same shape". */
export interface Finding {
  readonly tone: Tone;
  readonly title: string;
  readonly detail?: string;
  readonly href?: string;
}

/** A column of a table. */
export interface TableColumn {
  readonly label: string;
  readonly align?: 'end';
  /** Takes the room that the others leave. */
  readonly grow?: boolean;
  /** Left out where the window is narrow. */
  readonly minor?: boolean;
}

/** A row of a table, with as many cells as there are columns. */
export interface Row {
  readonly cells: readonly Value[];
  /** `id` by which links lead to the row, once on a page: `query-3`. */
  readonly anchor?: string;
  readonly tone?: Tone;
  /** Shown when the row is opened. */
  readonly detail?: readonly Block[];
  /** Stands open from the start, without a fold. */
  readonly open?: boolean;
  /** Its fold is open at first. */
  readonly isUnfolded?: boolean;
}

/** One bar of a timeline; times in milliseconds since the request began. */
export interface Span {
  readonly label: string;
  readonly start: number;
  readonly duration: number;
  /** Of a bar that stands for several: how long they took, without what lay between them. */
  readonly busy?: number;
  /** How far it is nested: 0 for the outermost. */
  readonly depth?: number;
  /** Kind of work, which gives the bar its colour: a `TimeCategory`, `stage`, `listener`; anything else is the application's. */
  readonly category?: string;
  readonly detail?: string;
  /** Where a click leads. */
  readonly href?: string;
}

/** A moment on the axis of a timeline. */
export interface Mark {
  /** Milliseconds since the request began. */
  readonly at: number;
  readonly label: string;
  readonly tone: Tone;
  readonly href: string;
}

/** One box of a flame graph: a function, as wide as the share of the time that was spent in it and in what it called. */
export interface Flame {
  readonly label: string;
  /** How far below the outermost. */
  readonly depth: number;
  /** Shares of the whole width, 0 to 1. */
  readonly start: number;
  readonly width: number;
  /** Its tooltip. */
  readonly title: string;
  readonly isOwn: boolean;
  readonly href: string;
}

/** The content of panels. A panel returns data; one renderer turns it into HTML, another into Markdown. */
export type Block =
  | { readonly kind: 'metrics'; readonly metrics: readonly Metric[] }
  | { readonly kind: 'findings'; readonly findings: readonly Finding[] }
  | { readonly kind: 'note'; readonly tone: Tone; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'section';
      readonly title: string;
      readonly count?: number;
      /** Shown as a fold that is shut at first. */
      readonly folded?: boolean;
      readonly blocks: readonly Block[];
    }
  | {
      readonly kind: 'table';
      readonly caption: string;
      readonly columns: readonly TableColumn[];
      readonly rows: readonly Row[];
      /** What to say when there are no rows. */
      readonly empty?: string;
    }
  | {
      readonly kind: 'pairs';
      readonly label: string;
      readonly pairs: readonly (readonly [key: string, value: Value])[];
      readonly empty?: string;
    }
  /** A pictured value as a tree. */
  | { readonly kind: 'picture'; readonly label: string; readonly picture: Picture }
  | {
      readonly kind: 'code';
      readonly label: string;
      readonly text: string;
      /** Name for highlighters: `json`, `ts`, `sql`, `text`. */
      readonly language?: string;
    }
  | {
      readonly kind: 'timeline';
      readonly label: string;
      /** Milliseconds from the left to the right edge. */
      readonly total: number;
      readonly spans: readonly Span[];
      readonly marks?: readonly Mark[];
    }
  | { readonly kind: 'flames'; readonly label: string; readonly flames: readonly Flame[] }
  /** A foreign document in a sandboxed frame; `href` leads to a panel's `document`. */
  | { readonly kind: 'document'; readonly label: string; readonly href: string }
  | {
      readonly kind: 'filters';
      readonly label: string;
      /** The label is visible, not only for screen readers. */
      readonly isTitled?: boolean;
      readonly filters: readonly FilterLink[];
    }
  /** A button that sends a form to a path of this server. */
  | {
      readonly kind: 'form';
      readonly label: string;
      readonly action: string;
      readonly fields: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'columns'; readonly columns: readonly (readonly Block[])[] }
  | { readonly kind: 'errors'; readonly report: ErrorReport; readonly editor: EditorLinker };

/** One choice of a filter that works as a link. */
export interface FilterLink {
  readonly label: string;
  readonly count?: number;
  readonly href: string;
  readonly chosen: boolean;
}

import { resolve } from 'node:path';
import { findSection } from './define-section.js';
import type { ProfileRecord, RecordedSpan } from '../model/profile-record.js';
import { shortPath } from '../model/formatting.js';
import { pathOfFile } from '#core/errors';
import type { Finding } from '../view/block.js';
import type { PanelContext } from './panel.js';
import type { SectionSteps } from './section.js';

/** A notable fact about a request, as a sentence. */
export interface RecordFinding {
  readonly level: 'error' | 'warn' | 'info';
  /** Kind, as searched by `finding:`: `n+1`, `not-awaited`; the id for a custom section. */
  readonly kind?: string;
  /** One plain-text sentence without a full stop. May contain foreign text. */
  readonly text: string;
  /** The responsible application line: `src/blog.ts:12`. */
  readonly location?: string;
  /** Link target: a panel, by its own id or its section's, and a row's `id` in it. */
  readonly target?: { readonly panel: string; readonly anchor?: string };
  /** The part that it explains: the request's failure, or this many milliseconds of its time. */
  readonly explains?: 'failure' | number;
}

/** Kinds of findings that explain why a request was refused. */
export const refusalKinds: ReadonlySet<string> = new Set([
  'error',
  'refused',
  'refused-input',
  'graphql-error',
]);

/** Finds facts of one kind. If it throws, because a section lacks the expected shape, nothing is found. */
export type Finder = (
  record: ProfileRecord,
  stepsOf: StepsOf,
) => RecordFinding | readonly RecordFinding[] | undefined;

/** Returns how the steps of a section are named; undefined if the section has none. */
export type StepsOf = (section: string | undefined) => SectionSteps | undefined;

/** Returns a finder that sets the kind of its findings, unless they have one. */
export function ofKind(kind: string, find: Finder): Finder {
  return (record, stepsOf) => [find(record, stepsOf) ?? []].flat().map((finding) => ({ kind, ...finding }));
}

/** Returns a warning; by default, about the request. */
export function warning(text: string, panel = 'request', anchor?: string): RecordFinding {
  return { level: 'warn', text, target: targetIn(panel, anchor) };
}

/** Returns the link target for a panel's row; without an anchor, for the whole panel. */
export function targetIn(panel: string, anchor?: string): NonNullable<RecordFinding['target']> {
  return anchor === undefined ? { panel } : { panel, anchor };
}

/** Returns a log row's `id` by the entry's index in `logs`. */
export function logAnchor(index: number): string {
  return `log-${index + 1}`;
}

interface Location {
  readonly file: string;
  readonly line: number;
}

/** Formats a source location for findings: `src/blog.ts:12`. */
export function locationTextOf(location: Location | null = null): string | undefined {
  return location === null ? undefined : `${shortPath(pathOfFile(location.file))}:${location.line}`;
}

/** Returns the sentence ending that names an application line; empty if none is known. */
export function from(location: string | undefined): string {
  return location === undefined ? '' : `, from ${location}`;
}

/** Returns the application line of a step: the one that made the query or call in the row with its anchor. */
export function callLocation(
  record: ProfileRecord,
  { section, anchor }: Pick<RecordedSpan, 'section' | 'anchor'>,
  stepsOf: StepsOf,
): string | undefined {
  const field = stepsOf(section)?.rows;
  // A connection wait is not a query row.
  const row = Number(/^(?!wait-).*-(\d+)$/.exec(anchor ?? '')?.[1] ?? 0) - 1;
  if (field === undefined || row < 0) return undefined;
  const rows = findSection<Readonly<Record<string, readonly { readonly callSite?: readonly Location[] }[]>>>(
    record,
    section ?? '',
    [field],
  )?.[field];
  return locationTextOf(rows?.[row]?.callSite?.[0]);
}

/** Converts a finding to a block with links to its target and its source line. */
export function toFinding({ level, text, target }: RecordFinding, context: PanelContext): Finding {
  const location = findLocation(text);
  const [, file = '', line = ''] = placePattern.exec(location ?? '') ?? [];
  const href = target === undefined ? {} : { href: context.linkTo(target) };
  if (location === undefined) return { tone: level, title: text, ...href };
  const inEditor = context.editor(resolve(file), Number(line), 1);
  return { tone: level, title: text, ...href, location: { text: `${file}:${line}`, ...(inEditor ?? href) } };
}

/** Returns the first source location named in a sentence. */
export function findLocation(text: string): string | undefined {
  const word = text.split(' ').find((one) => placePattern.test(one));
  return word?.replace(/[,.]$/, '');
}

/** A word that names an application line. */
const placePattern = /^(\S{1,300}\.[cm]?[jt]sx?):(\d{1,7})[,.]?$/;

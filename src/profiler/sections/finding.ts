import { resolve } from 'node:path';
import { completedSections } from './completed.js';
import { findSection } from './define-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { shortPath } from '../model/formatting.js';
import { pathOfFile } from '#core/errors';
import type { Finding } from '../view/block.js';
import type { PanelContext } from './panel.js';

/** A notable fact about a request, as a sentence. */
export interface RecordFinding {
  readonly level: 'error' | 'warn' | 'info';
  /** What it is, in one word that \`finding:\` searches: \`n+1\`, \`not-awaited\`; of an application's own section, its id. */
  readonly kind?: string;
  /** One sentence of plain text, without a full stop. May contain foreign text. */
  readonly text: string;
  /** The line of the application that caused it: \`src/blog.ts:12\`. */
  readonly location?: string;
  /** Link target: a panel, by its id or the section that it shows, and the `id` of a row in it. */
  readonly target?: { readonly panel: string; readonly anchor?: string };
  /** What of the request it explains: that it failed, or so many milliseconds of its time. */
  readonly explains?: 'failure' | number;
}

/** Kinds of the findings that say why a request was refused. */
export const refusalKinds: ReadonlySet<string> = new Set([
  'error',
  'refused',
  'refused-input',
  'graphql-error',
]);

/** Finds facts of one kind. May throw, at a section without the shape that its collector gives it: nothing is found then. */
export type Finder = (record: ProfileRecord) => RecordFinding | readonly RecordFinding[] | undefined;

/** Returns a finder whose findings are of a kind, unless they say another one. */
export function ofKind(kind: string, find: Finder): Finder {
  return (record) => [find(record) ?? []].flat().map((finding) => ({ kind, ...finding }));
}

/** Returns a warning; by default, about the request. */
export function warning(text: string, panel = 'request', anchor?: string): RecordFinding {
  return { level: 'warn', text, target: targetIn(panel, anchor) };
}

/** Returns the link target for a row of a panel; without an anchor, for the whole panel. */
export function targetIn(panel: string, anchor?: string): NonNullable<RecordFinding['target']> {
  return anchor === undefined ? { panel } : { panel, anchor };
}

/** Returns the `id` of a log entry's row, by its index in `logs`. */
export function logAnchor(index: number): string {
  return `log-${index + 1}`;
}

interface Location {
  readonly file: string;
  readonly line: number;
}

/** Returns a place as findings show it: `src/blog.ts:12`. */
export function locationTextOf(location: Location | null = null): string | undefined {
  return location === null ? undefined : `${shortPath(pathOfFile(location.file))}:${location.line}`;
}

/** Returns the end of a sentence that names a place of the application; empty if none is known. */
export function from(location: string | undefined): string {
  return location === undefined ? '' : `, from ${location}`;
}

/** Returns the place of the application that made a query or call, by the `id` of its row. */
export function callLocation(
  record: ProfileRecord,
  section: string | undefined,
  anchor: string | undefined,
): string | undefined {
  const field = completedSections.get(section ?? '')?.steps?.rows;
  const row = Number(/-(\d+)$/.exec(anchor ?? '')?.[1] ?? 0) - 1;
  if (field === undefined || row < 0) return undefined;
  const rows = findSection<Readonly<Record<string, readonly { readonly callSite?: readonly Location[] }[]>>>(
    record,
    section ?? '',
    [field],
  )?.[field];
  return locationTextOf(rows?.[row]?.callSite?.[0]);
}

/** Turns a finding into its block: with links to what it is about and to its line of code. */
export function toFinding({ level, text, target }: RecordFinding, context: PanelContext): Finding {
  const location = findLocation(text);
  const [, file = '', line = ''] = placePattern.exec(location ?? '') ?? [];
  const href = target === undefined ? {} : { href: context.linkTo(target) };
  if (location === undefined) return { tone: level, title: text, ...href };
  const inEditor = context.editor(resolve(file), Number(line), 1);
  return { tone: level, title: text, ...href, location: { text: `${file}:${line}`, ...(inEditor ?? href) } };
}

/** Returns the first line of code that a sentence names. */
export function findLocation(text: string): string | undefined {
  const word = text.split(' ').find((one) => placePattern.test(one));
  return word?.replace(/[,.]$/, '');
}

/** A word of a sentence that names a line of the application. */
const placePattern = /^(\S{1,300}\.[cm]?[jt]sx?):(\d{1,7})[,.]?$/;

import { codeSpan, escapeMarkdown } from '#core/errors';
import type { ProfileRecord } from '../../model/profile-record.js';
import { findingsOf } from '../../sections/findings-of.js';
import type { Block } from '../../view/block.js';
import { formatMilliseconds, isoTime } from '../../model/formatting.js';
import { renderBlocksMarkdown } from './render-blocks-markdown.js';

/** One panel's part of the report. */
export interface MarkdownPart {
  readonly id: string;
  readonly title: string;
  /** The part's rank; the lowest comes first. */
  readonly rank: number;
  /** True if the record has no data for this part, so that only its title is listed. */
  readonly isEmpty?: boolean;
  readonly text: () => string;
}

/** Maximum characters for the whole report, for a part, and for a part without warnings. The first part may use all of it. */
const maxLength = 14_000;
const maxPartLength = 3_000;
const maxQuietPartLength = 1_200;
/** The lowest rank for a part without warnings. */
export const quietRank = 3;

/** Renders a report for pasting: request, response, findings, then panels by rank. Everything omitted is listed. */
export function renderRecordMarkdown(record: ProfileRecord, parts: readonly MarkdownPart[]): string {
  const out = [
    `# ${titleOf(record)}`,
    [
      ...factsOf(record),
      ...findingsOf(record).map(({ level, text }) => `- ${level}: ${escapeMarkdown(text)}`),
    ].join('\n'),
  ];
  const left: string[] = [];
  let room = maxLength;
  const sorted = parts.toSorted((one, other) => one.rank - other.rank);
  for (const part of sorted) {
    if (part.isEmpty === true) continue;
    const text = part.text();
    const ofPart = part.rank < quietRank ? maxPartLength : maxQuietPartLength;
    const kept = cutAtParagraph(text, Math.min(room, part.rank < 1 ? maxLength : ofPart));
    if (kept !== '') out.push(`## ${escapeMarkdown(part.title)}\n\n${kept}`);
    if (kept.length < text.length)
      left.push(
        `${part.title}: ${text.length - kept.length} of ${text.length} characters (\`?panel=${part.id}\`)`,
      );
    room -= kept.length;
  }
  const empty = sorted.filter(({ isEmpty }) => isEmpty === true).map(({ title }) => title);
  if (empty.length > 0) out.push(`Nothing recorded: ${escapeMarkdown(empty.join(', '))}.`);
  if (left.length > 0)
    out.push(`## Left out\n\n${left.map((line) => `- ${escapeMarkdown(line)}`).join('\n')}`);
  return `${out.join('\n\n')}\n`;
}

/** Renders the differences between two records. */
export function renderComparisonMarkdown(
  records: readonly ProfileRecord[],
  blocks: readonly Block[],
): string {
  const heads = records.map((record, at) =>
    [`**${at + 1}.** ${titleOf(record)}`, '', ...factsOf(record)].join('\n'),
  );
  return `${['# Comparison', ...heads, renderBlocksMarkdown(blocks, 2)].join('\n\n')}\n`;
}

function titleOf({ request, response }: ProfileRecord): string {
  return `${response?.status ?? 'Unfinished:'} ${escapeMarkdown(request.method)} ${escapeMarkdown(request.url)}`;
}

function factsOf({ token, startedAt, durationMs }: ProfileRecord): readonly string[] {
  return [
    `- Record: ${codeSpan(token)}`,
    `- Time: ${isoTime(startedAt)}`,
    `- Duration: ${formatMilliseconds(durationMs)}`,
  ];
}

/** Truncates at the end of a paragraph, outside fences, because an open fence would swallow what follows. */
function cutAtParagraph(text: string, room: number): string {
  if (text.length <= room) return text;
  let end = text.lastIndexOf('\n\n', room);
  while (end > 0 && endsInFence(text.slice(0, end))) end = text.lastIndexOf('\n\n', end - 1);
  return end <= 0 ? '' : text.slice(0, end);
}

/** Returns whether a text ends within a fence. Backtick runs within a fence are shorter than the fence. */
function endsInFence(text: string): boolean {
  let open = 0;
  for (const [ticks] of text.matchAll(/^`{3,}/gm))
    if (open === 0) open = ticks.length;
    else if (ticks.length >= open) open = 0;
  return open > 0;
}

import { renderSnapshotText } from '#core/dump';
import { codeSpan, escapeMarkdown, fence, renderErrorChainMarkdown, withPointer } from '#core/errors';
import type { Block, Row, Value } from '../../view/block.js';
import { unknownKind } from '../../view/make-blocks.js';
import { formatMilliseconds, isoTime } from '../../model/formatting.js';

/** Maximum boxes in a flame graph, outermost first. */
const maxFlames = 30;

/** Renders blocks as Markdown. Foreign text only appears in code spans, fences, or escaped. */
export function renderBlocksMarkdown(blocks: readonly Block[], level: number): string {
  return blocks
    .map((block) => renderBlock(block, level))
    .filter((text) => text !== '')
    .join('\n\n');
}

function renderBlock(block: Block, level: number): string {
  switch (block.kind) {
    case 'metrics':
      return block.metrics
        .map(({ label, value }) => `- ${label}: **${escapeMarkdown(String(value))}**`)
        .join('\n');
    case 'findings':
      return block.findings
        .map(
          ({ title, detail }) =>
            `- ${escapeMarkdown(title)}${detail === undefined ? '' : `: ${escapeMarkdown(detail)}`}`,
        )
        .join('\n');
    case 'note':
      return `> ${escapeMarkdown(block.text)}`;
    case 'text':
      return escapeMarkdown(block.text);
    case 'section':
      return `${'#'.repeat(Math.min(level, 6))} ${escapeMarkdown(block.title)}\n\n${renderBlocksMarkdown(block.blocks, level + 1)}`;
    case 'table':
      return renderTable(block, level);
    case 'pairs':
      return block.pairs.length === 0
        ? escapeMarkdown(block.empty ?? '')
        : block.pairs.map(([key, value]) => `- ${escapeMarkdown(key)}: ${renderValue(value)}`).join('\n');
    case 'code':
      return `${escapeMarkdown(block.label)}:\n\n${fence(shortened(withPointer(block.text, block.mark)), block.language ?? '')}`;
    case 'answer':
      return `**${formatMilliseconds(block.ms)}** (${escapeMarkdown(block.usual)}): ${escapeMarkdown(block.sentence.title)}`;
    case 'timeline':
      return block.spans
        .map(
          (span) =>
            `${'  '.repeat(span.depth ?? 0)}- ${escapeMarkdown(span.label)}: ${formatMilliseconds(span.busy ?? span.duration)} from ${formatMilliseconds(span.start)}`,
        )
        .join('\n');
    case 'flames':
      return block.flames
        .slice(0, maxFlames)
        .map(({ depth, title }) => `${'  '.repeat(depth)}- ${escapeMarkdown(title)}`)
        .join('\n');
    case 'snapshot':
      return `${escapeMarkdown(block.label)}:\n\n${fence(renderSnapshotText(block.snapshot), '')}`;
    case 'columns':
      return renderBlocksMarkdown(block.columns.flat(), level);
    case 'document':
    case 'form':
    case 'filters':
      return '';
    case 'errors':
      return [
        ...(block.lead === undefined ? [] : [renderBlocksMarkdown(block.lead, level)]),
        renderErrorChainMarkdown(block.report, level),
      ].join('\n\n');
    default:
      throw unknownKind();
  }
}

const maxCodeLength = 2_000;
const maxRows = 30;

/** Removes style sheets and scripts from a page, and truncates the text. */
function shortened(text: string): string {
  const plain = text.trimStart().startsWith('<')
    ? text.replace(/<(style|script)\b[^]*?(?:<\/\1\s*>|$)/gi, '<$1>…</$1>')
    : text;
  const more = plain.length - maxCodeLength;
  return more <= 0 ? plain : `${plain.slice(0, maxCodeLength)}\n… ${more} more characters`;
}

function renderTable(block: Extract<Block, { kind: 'table' }>, level: number): string {
  if (block.rows.length === 0) return escapeMarkdown(block.empty ?? '');
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const head = [
    line(block.columns.map((column) => escapeMarkdown(column.label))),
    line(block.columns.map(() => '---')),
  ];
  const shown = block.rows.slice(0, maxRows);
  const rows = shown.map((row) => line(row.cells.map((cell) => renderValue(cell))));
  const details = shown.flatMap((row, index) => rowDetail(row, index, level));
  const more = block.rows.length - shown.length;
  return [
    ...(block.isCut === true ? [escapeMarkdown(block.caption)] : []),
    [...head, ...rows].join('\n'),
    ...(more > 0 ? [`… ${more} more rows`] : []),
    ...details,
  ].join('\n\n');
}

function rowDetail(row: Row, index: number, level: number): readonly string[] {
  if (row.detail === undefined || row.detail.length === 0) return [];
  return [`Row ${index + 1}:\n\n${renderBlocksMarkdown(row.detail, level + 1)}`];
}

function renderValue(value: Value): string {
  if (typeof value !== 'object') return codeSpan(String(value));
  if (value.time !== undefined) return codeSpan(isoTime(value.time));
  if (value.snapshot !== undefined) return codeSpan(renderSnapshotText(value.snapshot));
  return value.mono === true || value.href !== undefined ? codeSpan(value.text) : escapeMarkdown(value.text);
}

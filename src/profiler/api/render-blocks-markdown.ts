import { renderPictureText } from '#dump';
import { renderErrorChainMarkdown } from '#errors';
import type { Block, Row, Value } from '../panels/blocks/block.js';
import { formatMilliseconds } from '../panels/blocks/format.js';
import { codeSpan, escapeMarkdown, fence } from './markdown-text.js';

/** Blocks as Markdown. Everything that came from outside stands in code spans, fences or escaped text. */
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
        .map(
          ({ label, value, unit }) =>
            `- ${label}: **${escapeMarkdown(`${value}${unit === undefined ? '' : ` ${unit}`}`)}**`,
        )
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
        ? escapeMarkdown(block.empty)
        : block.pairs.map(([key, value]) => `- ${escapeMarkdown(key)}: ${renderValue(value)}`).join('\n');
    case 'code':
      return `${escapeMarkdown(block.label)}:\n\n${fence(block.text, block.language ?? '')}`;
    case 'timeline':
      return block.spans
        .map(
          (span) =>
            `${'  '.repeat(span.depth ?? 0)}- ${escapeMarkdown(span.label)}: ${formatMilliseconds(span.duration)} from ${formatMilliseconds(span.start)}`,
        )
        .join('\n');
    case 'filters':
      return '';
    case 'errors':
      return renderErrorChainMarkdown(block.report, level);
  }
}

function renderTable(block: Extract<Block, { kind: 'table' }>, level: number): string {
  if (block.rows.length === 0) return escapeMarkdown(block.empty);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const head = [
    line(block.columns.map((column) => escapeMarkdown(column.label))),
    line(block.columns.map(() => '---')),
  ];
  const rows = block.rows.map((row) => line(row.cells.map((cell) => renderValue(cell))));
  const details = block.rows.flatMap((row, index) => rowDetail(row, index, level));
  return [[...head, ...rows].join('\n'), ...details].join('\n\n');
}

function rowDetail(row: Row, index: number, level: number): readonly string[] {
  if (row.detail === undefined || row.detail.length === 0) return [];
  return [`Row ${index + 1}:\n\n${renderBlocksMarkdown(row.detail, level + 1)}`];
}

/** One value on one line. */
function renderValue(value: Value): string {
  if (typeof value !== 'object') return codeSpan(String(value));
  if (value.picture !== undefined) return codeSpan(renderPictureText(value.picture));
  return value.mono === true || value.href !== undefined ? codeSpan(value.text) : escapeMarkdown(value.text);
}

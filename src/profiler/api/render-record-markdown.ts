import type { ProfileRecord } from '../model/profile-record.js';
import type { Block } from '../panels/blocks/block.js';
import { formatMilliseconds, isoTime } from '../panels/blocks/format.js';
import { codeSpan, escapeMarkdown } from './markdown-text.js';
import { renderBlocksMarkdown } from './render-blocks-markdown.js';

/** One panel's part of the report. */
export interface MarkdownPart {
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** A record as a report for people and for language models: what was asked and answered, then each panel. */
export function renderRecordMarkdown(record: ProfileRecord, parts: readonly MarkdownPart[]): string {
  const head = [
    `# ${record.response?.status ?? 'Unfinished:'} ${escapeMarkdown(record.request.method)} ${escapeMarkdown(record.request.url)}`,
    [
      `- Record: ${codeSpan(record.token)}`,
      `- Time: ${isoTime(record.startedAt)}`,
      `- Duration: ${formatMilliseconds(record.durationMs)}`,
    ].join('\n'),
  ];
  const body = parts.map(
    ({ title, blocks }) => `## ${escapeMarkdown(title)}\n\n${renderBlocksMarkdown(blocks, 3)}`,
  );
  return `${[...head, ...body].join('\n\n')}\n`;
}

import { renderErrorChainMarkdown } from '#errors';
import type { DbSection, ProfileRecord } from '#profiler';

/** Characters of the text; what is cut says so. */
const maxLength = 6000;
/** Lines of the log, and statements, that are written out. */
const maxLines = 20;

/** A record as Markdown, short enough for the message of a failed assertion: what was asked and answered, and why. */
export function renderRecord(record: ProfileRecord): string {
  const { request, response, route, exception } = record;
  const status = response?.status ?? 'no response';
  const parts = [
    `## ${request.method} ${request.target} → ${status}`,
    [
      `- Record: ${record.token}, ${record.durationMs.toFixed(1)} ms`,
      `- Route: ${route?.name ?? 'none'}${record.controller === null ? '' : `, ${record.controller.name}`}`,
      `- User: ${request.user ?? 'none'}`,
    ].join('\n'),
    bodyPart('Request body', request.body),
    bodyPart('Response body', response?.body ?? null),
    exception === null ? '' : `### Error\n\n${renderErrorChainMarkdown(exception, 4)}`,
    listPart(
      'Log',
      record.logs.map(({ level, channel, message }) => `${level} ${channel}: ${message}`),
    ),
    listPart('Queries', queriesOf(record)),
  ];
  const text = parts.filter((part) => part !== '').join('\n\n');
  const more = text.length - maxLength;
  return more > 0 ? `${text.slice(0, maxLength)}\n… (${more} more characters)` : text;
}

function bodyPart(
  title: string,
  body: { readonly encoding: string; readonly content: string } | null,
): string {
  if (body === null || body.encoding !== 'text' || body.content === '') return '';
  const text = body.content.length > 1500 ? `${body.content.slice(0, 1500)}…` : body.content;
  return `### ${title}\n\n\`\`\`\n${text}\n\`\`\``;
}

function listPart(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const shown = lines.slice(0, maxLines).map((line) => `- ${line.replace(/\s+/g, ' ').slice(0, 400)}`);
  const more = lines.length - shown.length;
  return `### ${title}\n\n${shown.join('\n')}${more > 0 ? `\n- … and ${more} more` : ''}`;
}

function queriesOf(record: ProfileRecord): readonly string[] {
  const section = record.sections['db'] as DbSection | undefined; // what our collector files under this name
  return (section?.queries ?? []).map(
    ({ sql, error, durationMs }) =>
      `${durationMs.toFixed(1)} ms ${sql}${error === null ? '' : ` — failed: ${error}`}`,
  );
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, createCommand } from '#command';
import { findNearest } from '#coded-error';
import { type CliOutput, UsageError } from './command-line/terminal.js';
import { packageRoot } from './new-command.js';

/** `lookback explain CODE`: prints what docs/errors.md, which is part of the package, says about an error code. */
export function explainCommand(output: CliOutput): Command {
  return createCommand(
    'explain',
    { description: 'Explains an error code, such as HTTP_PORT_BUSY', positionals: ['code'] },
    ({ positionals: [asked] }) => {
      if (asked === undefined) throw new UsageError('Name an error code: lookback explain HTTP_PORT_BUSY');
      const root = packageRoot();
      const entries = readEntries(join(root, 'docs/errors.md'));
      const code = asked.toUpperCase();
      const entry = entries.get(code);
      if (entry !== undefined) {
        output.out(`${code}\n\n${entry}\n${addressOf(code, root)}`);
        return 0;
      }
      const [nearest] = findNearest(code, [...entries.keys()]);
      output.err(
        `lookback has no error code "${asked}".${nearest === undefined ? '' : ` Did you mean ${nearest}?`}\n`,
      );
      return 1;
    },
  );
}

/** The entries of the page by code, without the marks of Markdown. */
function readEntries(page: string): ReadonlyMap<string, string> {
  const sections = readFileSync(page, 'utf8').split(/^### /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [code = '', ...paragraphs] = (section.split('\n## ')[0] ?? '').trim().split('\n\n');
      return [code, paragraphs.map((text) => `${plainText(text)}\n`).join('\n')];
    }),
  );
}

function plainText(markdown: string): string {
  return markdown
    .replace(/^> /, '')
    .replaceAll('\\*', '*')
    .replaceAll('&lt;', '<')
    .replace(/\[([^\]]*)\]\(([^)]*)\)/g, '$1 (docs/$2)');
}

/** The line with the address of the entry, if the package says where its site is. */
function addressOf(code: string, root: string): string {
  const { homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { homepage?: string }; // ours
  return homepage === undefined
    ? ''
    : `\n${homepage.replace(/\/?(?:#.*)?$/, '')}/errors.html#${code.toLowerCase()}\n`;
}

// Writes decisions/README.md, the index of the decisions.
//   node scripts/decision-index.mjs             write
//   node scripts/decision-index.mjs --print     print only (the guard test compares)
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const folder = new URL('../decisions/', import.meta.url);
const rows = readdirSync(folder)
  .filter((name) => /^\d{3}-.*\.md$/.test(name))
  .sort()
  .map((name) => {
    const [heading = ''] = readFileSync(new URL(name, folder), 'utf8').split(/\r?\n/);
    const title = heading.replace(/^# (?:\d{3}\.? )?/, '');
    return `| ${name.slice(0, 3)} | [${title}](${name}) |`;
  });
const text = `# Decisions

Reasons for choices that a reader of the code might otherwise undo, in about 20 lines each. If a decision no longer holds, change
or delete it: this is not a history. Add a new one as a file \`NNN-title.md\` with the next free number, then run
\`node scripts/decision-index.mjs\`. Decisions about speed are on one page: [performance.md](performance.md).

| number | decision |
|---|---|
${rows.join('\n')}
`;
if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(new URL('README.md', folder), text);

// Writes decisions/README.md, the index of the decisions. A decision that another one replaces says so in its second
// line: `Superseded by 245.`
//   node scripts/decision-index.mjs             write
//   node scripts/decision-index.mjs --print     print only (the guard test compares)
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const folder = new URL('../decisions/', import.meta.url);
const rows = readdirSync(folder)
  .filter((name) => /^\d{3}-.*\.md$/.test(name))
  .sort()
  .map((name) => {
    const [heading = '', second = '', third = ''] = readFileSync(new URL(name, folder), 'utf8').split(
      /\r?\n/,
    );
    const title = heading.replace(/^# (?:\d{3}\.? )?/, '');
    const successor = /^Superseded by (\d{3})/.exec(second || third)?.[1];
    const status = successor === undefined ? 'in force' : `superseded by ${successor}`;
    return `| ${name.slice(0, 3)} | [${title}](${name}) | ${status} |`;
  });
const text = `# Decisions

The reasons for decisions that might otherwise be undone. Add a file \`NNN-title.md\` with the next free number
and run \`node scripts/decision-index.mjs\`. If a decision no longer holds, write \`Superseded by NNN.\` below its title, or
change it. Everything about speed that is not the form of records is on one page: [performance.md](performance.md).

| number | decision | status |
|---|---|---|
${rows.join('\n')}
`;
if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(new URL('README.md', folder), text);

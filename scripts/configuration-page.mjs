// Writes the tables in docs/reference/configuration.md from the options that environment variables set: name, option, default and
// values. The hand-written last column is kept.
//   npx tsc -p . && node scripts/configuration-page.mjs           write
//   node scripts/configuration-page.mjs --print                   print only (the docs test compares)
import { readFileSync, writeFileSync } from 'node:fs';

const load = (path) => import(new URL(`../dist/src/${path}.js`, import.meta.url).href);
const { configurationSchema, publicDebug } = await load('framework/app/configuration/configuration');
const { variableOptions } = await load('profiler/option-schemas');
const { inVariable } = await load('profiler/setup/variable-reader');

const file = new URL('../docs/reference/configuration.md', import.meta.url);
const page = readFileSync(file, 'utf8');
const head = ['| variable | option | default | values | |', '|---|---|---|---|---|'];
const rows = [
  ...rowsOf(configurationSchema, ''),
  rowOf(publicDebug, ''),
  ...Object.values(variableOptions).map((type) => rowOf(type, '')),
];
const [before, rest] = cut(page);
const text = `${before}${[...head, ...rows].join('\n')}\n${rest}`;
if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(file, text);

/** The text before and after the table. */
function cut(whole) {
  const start = whole.indexOf('| variable |');
  if (start === -1)
    throw new Error('docs/reference/configuration.md has no table that begins with "| variable |".');
  const end = whole.indexOf('\n\n', start);
  return [whole.slice(0, start), whole.slice(end + 1)];
}

/** Rows for all options in a schema, including nested ones. */
function rowsOf(schema, path) {
  return schema.parts.flatMap(([name, type]) => {
    if (type.variable !== undefined) return [rowOf(type, `${path}${name}`, schema.defaults?.[name])];
    return 'types' in type ? rowsOf(type, `${path}${name}.`) : [];
  });
}

function rowOf(type, option, value) {
  const cells = [
    `\`${type.variable}\``,
    option === '' ? '' : `\`${option}\``,
    type.otherwise ?? shown(type, value),
    inVariable(type)
      .replaceAll('*', '\\*')
      .replaceAll(/https?:[^\s;,]+/g, (url) => `\`${url}\``), // an example, no link
    descriptionOf(type.variable),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`.replaceAll(/ {2,}/g, ' ');
}

function shown(type, value) {
  if (value === undefined || value === '' || value.length === 0) return 'none';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value !== 'number') return `\`${value}\``;
  const isMiB = type.takes.startsWith('bytes') && value % 1_048_576 === 0;
  return isMiB ? `${value} (${value / 1_048_576} MiB)` : String(value);
}

/** The hand-written text about a variable. */
function descriptionOf(variable) {
  const line = page.split('\n').find((one) => one.startsWith(`| \`${variable}\` |`));
  const cells = line?.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
  const said = cells?.[5] ?? '';
  if (said === '' && !process.argv.includes('--print'))
    throw new Error(
      `docs/reference/configuration.md says nothing about ${variable}: add a row "| \`${variable}\` | | | | … |".`,
    );
  return said;
}

// Writes docs/reference/errors.md from the error code tables: each code with its message and its fix. Hand-written text below a
// code's quotes is kept.
//   npm run build && node scripts/error-page.mjs                  write
//   node scripts/error-page.mjs --print                           print only (the docs test compares)
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const file = new URL('../docs/reference/errors.md', import.meta.url);
const root = new URL('..', import.meta.url);

/** Code groups by their first word, with a link to the documentation. */
const groups = {
  ATTACH:
    'Applications in other servers: [attach.md](../start/attach.md#a-lookback-application-in-another-server).',
  CLI: 'The command line: [cli.md](cli.md).',
  COMMAND: "The application's own commands: [deployment.md](../guides/deployment.md#docker).",
  CONFIG: "lookback's environment variables: [configuration.md](configuration.md).",
  CONFIGURATION: "The application's configuration: [deployment.md](../guides/deployment.md#configuration).",
  CONTROLLER: 'Controllers and their arguments: [application.md](../guides/application.md#controllers).',
  FRAMEWORK: 'The application: [application.md](../guides/application.md).',
  HTML: 'Markup: [html.md](../guides/html.md).',
  HTTP: 'Requests, responses and the server: [application.md](../guides/application.md).',
  KERNEL: 'The path of a request: [application.md](../guides/application.md#events).',
  LOCALE: 'Languages and messages: [locale.md](../guides/locale.md).',
  MCP: 'Records for assistants: [assistants.md](../guides/assistants.md).',
  OPENAPI: 'The OpenAPI document: [openapi.md](../guides/openapi.md).',
  OPTIONS: 'Wrong options: [application.md](../guides/application.md).',
  PATCHES: 'Package versions.',
  PERSISTENCE: 'The database: [persistence.md](../guides/persistence.md).',
  PROFILER: 'The profiler and its stores: [stores.md](stores.md).',
  ROUTING: 'Routes and URLs: [routing.md](routing.md).',
  RUNTIME: 'Bun and Deno: [deployment.md](../guides/deployment.md#bun-and-deno).',
  SECURITY: 'Logins and access: [security.md](../guides/security.md).',
  INSTRUMENTATION: 'Recording libraries: [instrumentation.md](../guides/instrumentation.md).',
  MAIL: 'Mail: [mail-and-jobs.md](../guides/mail-and-jobs.md).',
  TESTING: 'The test client: [testing.md](../guides/testing.md).',
  WEB: 'Extensions in lookback/web: [web.md](../guides/web.md), [live.md](../guides/live.md).',
};

const text = await renderPage();
if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(file, text);

async function renderPage() {
  const tables = await readTables();
  const notes = readNotes();
  const parts = [readIntroduction()];
  for (const word of Object.keys(groups)) {
    const codes = [...tables.keys()]
      .filter((code) => code.startsWith(`${word}_`))
      .sort((one, other) => (one < other ? -1 : 1));
    if (codes.length === 0) continue;
    parts.push(`## ${word}\n\n${groups[word]}`);
    for (const code of codes) {
      const { message, fix } = tables.get(code);
      tables.delete(code);
      parts.push(
        [
          `### ${code}`,
          quoted(message),
          ...(fix === undefined ? [] : [quoted(fix)]),
          ...(notes.get(code) ?? []),
        ].join('\n\n'),
      );
    }
  }
  if (tables.size > 0)
    throw new Error(`No group for ${[...tables.keys()].join(', ')}: add one to scripts/error-page.mjs.`);
  return `${parts.join('\n\n')}\n`;
}

/** Reads all tables, from the compiled files that define one. */
async function readTables() {
  const tables = new Map();
  for (const name of readdirSync(new URL('dist/src', root), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js') || name.endsWith('.test.js')) continue;
    const path = join(fileURLToPath(new URL('dist/src', root)), name);
    const source = readFileSync(path, 'utf8');
    if (name.endsWith('coded-error.js') || !source.includes('defineErrorCodes(')) continue;
    const exported = Object.values(await import(pathToFileURL(path).href)).filter(
      (value) => value?.table !== undefined,
    );
    if (exported.length === 0)
      throw new Error(`${name} does not export its errors, so docs/reference/errors.md would lack them.`);
    for (const { table } of exported) for (const [code, row] of Object.entries(table)) tables.set(code, row);
  }
  return tables;
}

function readIntroduction() {
  return readPage()
    .split(/\n\n(?=## )/)[0]
    .trim();
}

/** Returns the hand-written text below the quotes, by code. */
function readNotes() {
  const sections = readPage().split(/^### /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [code, ...rest] = section
        .split(/\n## /)[0]
        .trim()
        .split(/\n{2,}/);
      return [code, rest.filter((paragraph) => !paragraph.startsWith('> '))];
    }),
  );
}

function readPage() {
  return readFileSync(file, 'utf8');
}

function quoted(sentence) {
  return `> ${sentence.replaceAll('\n', ' ').replaceAll('<', '&lt;').replaceAll('*', '\\*')}`;
}

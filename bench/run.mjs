// npm run bench                         everything
// npm run bench -- --quick              an overview, in less than a minute
// npm run bench -- fastify dispatch     benchmarks with one of the words in their name
// npm run bench -- --server ./mine.mjs  one more server: a file that exports start(), see bench/servers/plain.mjs
// npm run bench -- --json out.json      writes the figures there instead of to bench/results.json
// npm run bench -- --docs               also updates the tables in docs/explanation/performance.md
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import {
  applicationBaseline,
  asyncBaseline,
  attachedFrameworks,
  attachedNames,
  baseline,
  isApplication,
  isAsync,
  isAttached,
  namesIn,
  quickPieces,
  quickServers,
} from './catalogue.mjs';
import { whyNotSimultaneous } from './harness/pinning.mjs';
import { renderPieces, renderServers } from './harness/render-table.mjs';
import { measurePieces } from './measure-pieces.mjs';
import { measureServers } from './measure-servers.mjs';

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    server: { type: 'string', multiple: true, default: [] },
    json: { type: 'string', default: 'bench/results.json' },
    docs: { type: 'boolean', default: false },
  },
});
const isQuick = values.quick;
const files = new Map(values.server.map((path) => [path, pathToFileURL(resolve(path)).href]));
const say = (text) => process.stderr.write(`${text}\n`);

const servers = [
  ...choose([...namesIn('servers'), ...attachedNames], quickServers).filter((name) => name !== baseline),
  ...files.keys(),
];
const pieces = choose(namesIn('pieces'), quickPieces);

const obstacle = whyNotSimultaneous();
if (obstacle !== undefined)
  say(`Rounds are interleaved and processes are not pinned, because ${obstacle}: expect wide ranges.`);

const report = {
  made: new Date().toISOString(),
  node: process.version,
  machine: { cpu: cpus()[0]?.model, cores: cpus().length },
  method: obstacle === undefined ? 'simultaneous pairs' : 'interleaved rounds',
};
const isSimultaneous = obstacle === undefined;
const simple = servers.filter((name) => !isApplication(name) && !isAttached(name) && !isAsync(name));
if (simple.length > 0) {
  report.servers = await measureServers(simple, { isQuick, files, say, isSimultaneous });
  print('Servers, compared with node:http', report.servers);
}
const asynchronous = servers.filter((name) => isAsync(name) && name !== asyncBaseline);
if (asynchronous.length > 0) {
  const base = asyncBaseline;
  report.asynchronous = await measureServers(asynchronous, { base, isQuick, files, say, isSimultaneous });
  print('Asynchronous handlers, compared with node:http', report.asynchronous);
}
const applications = servers.filter((name) => isApplication(name) && name !== applicationBaseline);
if (applications.length > 0) {
  report.applications = await measureServers(applications, {
    base: applicationBaseline,
    isQuick,
    files,
    say,
    isSimultaneous,
  });
  print('A whole application, compared with Fastify', report.applications);
}
report.attached = [];
for (const framework of attachedFrameworks) {
  const names = servers.filter((name) => name.startsWith(`attach-${framework}-`));
  if (names.length === 0) continue;
  const base = `attach-${framework}-alone`;
  const measured = await measureServers(names, { base, isQuick, files, say, isSimultaneous });
  report.attached.push(measured);
  print(`With an agent, compared with the same application without it: ${framework}`, measured);
}
if (pieces.length > 0) {
  report.pieces = await measurePieces(pieces, { isQuick, say });
  console.log(`\nPieces\n\n${renderPieces(report.pieces)}`);
}
if (values.docs) fillDocs(new URL('../docs/explanation/performance.md', import.meta.url));
writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
console.log(`\nWritten to ${values.json}.`);

function print(heading, { control, results }) {
  console.log(`\n${heading} (${report.method})\n\n${renderServers([control, ...results])}`);
}

/** Replaces the measured tables between the page's markers; other tables stay. */
function fillDocs(page) {
  const { servers, asynchronous, applications, pieces } = report;
  const tables = {
    servers: servers && renderServers([servers.control, ...servers.results]),
    asynchronous: asynchronous && renderServers([asynchronous.control, ...asynchronous.results]),
    applications: applications && renderServers([applications.control, ...applications.results]),
    attached:
      report.attached.length > 0 &&
      renderServers(report.attached.flatMap(({ control, results }) => [control, ...results])),
    pieces: pieces && renderPieces(pieces),
  };
  let text = readFileSync(page, 'utf8');
  for (const [name, table] of Object.entries(tables)) {
    const [start, end] = [`<!-- bench:${name} -->\n`, `\n<!-- /bench:${name} -->`];
    const at = text.indexOf(start) + start.length;
    if (table && text.includes(start)) text = text.slice(0, at) + table + text.slice(text.indexOf(end));
  }
  writeFileSync(page, text);
}

/** Selects the named files, or all; a quick run without names has its own selection. */
function choose(names, quick) {
  if (words.length > 0) return names.filter((name) => words.some((word) => name.includes(word)));
  if (values.server.length > 0) return [];
  return isQuick ? names.filter((name) => quick.includes(name)) : names;
}

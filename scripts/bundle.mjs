// Bundles the output of tsc to dist/bundle/, the code that the package publishes: one file per entry, and shared chunks, so that
// an application loads a handful of files instead of hundreds. Packages that lookback always needs become part of it, so that no
// other version can interfere. Source maps lead to src/, and no bundled file refers to them. The package contains the maps of the
// code that throws an application's errors, with their sources inside.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { rollup } from 'rollup';
import { minify } from 'vite';
import { writeDeclarations } from './declarations.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = `${root}dist/src/`;
const { exports: entries } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
/** Imported for their side effects. */
const programs = {
  cli: 'cli/main.js',
  register: 'register.js',
};
/**
 * The program of the writer thread, which shares no modules with any other. It is CommonJS, because a thread starts Node's
 * loader of ECMAScript modules only if it needs it.
 */
const threadProgram = { 'write-in-thread': 'profiler/storage/writer/write-in-thread.js' };
/** Entries for applications: a program that imports one of them usually imports others as well. */
const libraries = ['locale', 'mcp', 'openapi', 'security', 'web'];
/** Entries that a program imports in addition to one that records. */
const additions = ['profiler', 'instrumentation', 'testing'];
/** Modules that commands load, with parts of the recording code. */
const commandCode = /\/(?:cli|web\/tools)\/|\/web\/open-profiler-pages\.js$/;
/** Chunks that are merged with no other: each has the imports of its framework, or a published map. */
const alone = /^(?:adapter-\w+|watch-nest|coded-error|scope)$/;
/** Packages that become part of the bundle, with their exports if these cannot be read from the code. */
const bundled = new Map([
  ['@fastify/busboy', '{ Busboy }'], // CommonJS
  ['intl-messageformat', '*'],
  ['mrmime', '*'],
  ['preact', '*'],
  ['preact/jsx-runtime', '*'],
  ['preact-render-to-string', '*'],
]);
/** Bundled into a separate file, which is loaded synchronously with the first source map. */
const mapReader = '@jridgewell/trace-mapping';
/** Modules with errors that applications see. Frames of all other modules are shown as bundled. */
const publishedSources =
  /\/src\/(?:core\/(?:attributes|coded-error|errors\/status|events|http|negotiation|routing|scope)|framework\/(?:app|controller|kernel|locale|security|web))[/.]/;
/** Importing this module reads all its exports, including `WebSocket`, for which Node 22 loads another 1.4 MB. */
const loadHttp = `export const { ${[
  'Agent',
  'ClientRequest',
  'IncomingMessage',
  'OutgoingMessage',
  'ServerResponse',
  'STATUS_CODES',
  'createServer',
  'request',
].join(', ')} } = /* @__PURE__ */ process.getBuiltinModule('node:http');`;
/** Folders of the bundled packages. */
const folders = new Set();
const names = namesOf('default', /bundle\/(.+)\.js$/).filter((name) => !(name in programs));

rmSync(`${root}dist/bundle`, { recursive: true, force: true });
const written = await writeBundle(
  {
    ...Object.fromEntries(names.map((name) => [name, behindEntry(`${compiled}${name}.js`)])),
    ...pathsOf(programs),
  },
  {
    format: 'esm',
    hoistTransitiveImports: false, // an entry must not load an optional package for another entry
    experimentalMinChunkSize: 12_000, // each set of entries with shared code has a chunk: small chunks are merged
    // An adapter loads the package that it adapts, so its file is merged with no other.
    manualChunks: chunkOf,
    onlyExplicitManualChunks: true,
    chunkFileNames: '[name]-[hash].js',
    plugins: [{ name: 'short-names', renderChunk: shortenNames }],
  },
);
await writeBundle(pathsOf(threadProgram), {
  format: 'cjs',
  dynamicImportInCjs: false,
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  // Its code is in the package twice, and never appears in visible stacks.
  plugins: [{ name: 'small', renderChunk: (code) => transform(code, { minify: true, target: 'node20' }) }],
});
publishMaps();
await writeDeclarations(root, exportsOf(written, namesOf('types', /bundle\/(.+)\.d\.ts$/)));
await bundlePackage({
  entryPoints: [mapReader],
  outfile: `${root}dist/bundle/map-reader.cjs`,
  format: 'cjs',
  write: true,
});
writeFileSync(`${root}dist/bundle/THIRD-PARTY-LICENSES.txt`, renderLicenses());
// For `-r`: Node 22 also loads it in its loader hooks thread, where ES modules cannot be loaded and nothing is served.
writeFileSync(
  `${root}dist/bundle/register.cjs`,
  "if (!require('node:worker_threads').isInternalThread) require('./register.js');\n",
);
writeFileSync(`${root}dist/bundle/register.d.cts`, 'export {};\n');
for (const folder of ['shell', 'toolbar'])
  cpSync(`${compiled}profiler/web/${folder}/browser`, `${root}dist/bundle/browser`, { recursive: true });

/** Returns the names of the entries' files to which a condition leads. */
function namesOf(condition, path) {
  const found = Object.values(entries).flatMap((entry) => path.exec(entry[condition] ?? '')?.[1] ?? []);
  return [...new Set(found)];
}

/** Returns the names that the code of each entry exports. */
function exportsOf(output, names) {
  const entries = output.filter(({ isEntry }) => isEntry).map(({ name, exports }) => [name, exports]);
  return new Map(entries.filter(([name]) => names.includes(name)));
}

function resolveImportMeta(property, { format }) {
  return property === 'url' && format === 'cjs'
    ? "require('node:url').pathToFileURL(__filename).href"
    : undefined; // as Rollup does
}

async function writeBundle(input, output) {
  const bundle = await rollup({
    logLevel: 'warn',
    input,
    // Unused modules are dropped: in src, only the programs have side effects when loaded.
    treeshake: {
      moduleSideEffects: (id) =>
        Object.values({ ...programs, ...threadProgram }).some((path) => id.endsWith(path)),
    },
    plugins: [{ name: 'compiled', resolveId: resolve, load, transform: dropComments, resolveImportMeta }],
    onwarn(warning) {
      throw new Error(warning.message);
    },
  });
  // Only says which chunks there are: their code is not needed.
  const merged = mergeChunks((await bundle.generate({ ...output, plugins: [] })).output);
  const written = await bundle.write({
    ...output,
    manualChunks: (id) => merged.get(id) ?? output.manualChunks?.(id),
    dir: `${root}dist/bundle`,
    sourcemap: output.format === 'esm' && 'hidden',
    sourcemapExcludeSources: true,
  });
  await bundle.close();
  return written.output;
}

/**
 * Returns the names of merged chunks by module. Each file takes half a millisecond to load, so the recording chunks are merged if the same
 * entries load them; entries that are used together count as one.
 */
function mergeChunks(output) {
  const chunks = new Map(
    output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]),
  );
  const entriesOf = new Map();
  const visit = (fileName, entry) => {
    const entries = entriesOf.get(fileName) ?? new Set();
    if (!chunks.has(fileName) || entries.has(entry)) return;
    entriesOf.set(fileName, entries.add(entry));
    for (const imported of chunks.get(fileName).imports) visit(imported, entry);
  };
  for (const { isEntry, fileName, name, facadeModuleId } of chunks.values())
    if (isEntry) visit(fileName, name);
    else if (commandCode.test(facadeModuleId ?? '')) visit(fileName, 'command');
  const names = new Map();
  const merged = new Map();
  for (const [fileName, entries] of entriesOf) {
    const { isEntry, name, moduleIds } = chunks.get(fileName);
    if (isEntry || !entries.has('attach') || alone.test(name)) continue;
    for (const other of entries.has('index') ? usedTogether(entries) : []) entries.add(other);
    const key = [...entries].toSorted((a, b) => (a < b ? -1 : 1)).join(' ');
    if (!names.has(key)) names.set(key, name);
    for (const id of moduleIds) merged.set(id, names.get(key));
  }
  return merged;
}

/** Returns the entries whose programs usually load an application chunk anyway. */
function usedTogether(entries) {
  return libraries.some((library) => entries.has(library)) ? [...additions, ...libraries] : additions;
}

function pathsOf(those) {
  return Object.fromEntries(Object.entries(those).map(([name, path]) => [name, compiled + path]));
}

/** An entry that exports one whole module becomes that module: a file that only re-exports it would have to be loaded too. */
function behindEntry(file) {
  const target = /^export \* from '(\..+)';$/m.exec(readFileSync(file, 'utf8'))?.[1];
  return target === undefined ? file : join(dirname(file), target);
}

/** Embeds the sources in the maps of files that consist mostly of `publishedSources`; npm omits all other maps. */
function publishMaps() {
  const folder = `${root}dist/bundle`;
  const left = readdirSync(folder, { recursive: true }).filter(
    (name) => name.endsWith('.map') && !embedSources(join(folder, name)),
  );
  writeFileSync(join(folder, '.npmignore'), left.map((name) => `/${name.replaceAll('\\', '/')}\n`).join(''));
}

function embedSources(path) {
  const map = JSON.parse(readFileSync(path, 'utf8'));
  const files = map.sources.map((source) => join(dirname(path), source).replaceAll('\\', '/'));
  if (!arePublished(files)) return false;
  const sourcesContent = files.map((file) => readFileSync(file, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...map, names: [], sourcesContent }));
  return true;
}

function arePublished(files) {
  const published = files.filter((file) => publishedSources.test(file)).length;
  return published > 0 && published * 2 >= files.length;
}

/**
 * Shortens the names of variables and parameters, because V8 reads and hashes the text of all code. Functions and classes keep
 * their names, and code its lines: both appear in stacks.
 */
async function shortenNames(code, { fileName, moduleIds }) {
  if (arePublished(moduleIds)) return null;
  const short = await minify(fileName, code, {
    module: true,
    compress: false,
    mangle: { toplevel: true, keepNames: true },
    codegen: { removeWhitespace: false },
    sourcemap: true,
  });
  if (short.errors.length > 0) throw new Error(`${fileName}: ${short.errors[0].message}`);
  return { code: short.code, map: short.map };
}

function chunkOf(id) {
  const name = /\/src\/profiler\/attach\/(\w+)\.js$/.exec(id)?.[1];
  if (name !== undefined) return `adapter-${name}`;
  if (id.endsWith('/attach/adapters/nest.js')) return 'watch-nest'; // its own imports
  if (/\/src\/core\/(?:coded-error|options)\/[\w-]+\.js$/.test(id)) return 'coded-error';
  // Its frames appear in many stacks, so its map is published.
  if (id.endsWith('/src/core/scope.js')) return 'scope';
  // All code that an adapter adds to startup.
  if (
    /\/(?:late-middleware|attach\/watch\/attach-options|profiler\/option-schemas|access\/access-options|tables\/retention|trust\/ip-address|store-name|editor-link|profiler\/setup\/(?!assemble|describe|environment)[\w-]+)\.js$/.test(
      id,
    )
  )
    return 'settings';
  // The code that adds the toolbar to a page; its markup and findings are loaded when a browser requests them.
  if (/\/web\/toolbar\/(?:add-toolbar|toolbar-policy|response-fields)\.js$/.test(id)) return 'toolbar';
  // lookback's own commands are never merged with code that applications load.
  const command = /\/cli\/(?:(new|dev)\/[\w-]+|(?:records\/)?([\w-]+-commands?))\.js$/.exec(id);
  if (command !== null) return command[2] ?? `${command[1]}-command`;
  // Code shared by commands, not part of an application.
  if (/\/cli\/command-line\/[\w-]+\.js$/.test(id)) return 'command-line';
  if (/\/cli\/records\/(?!read-)[\w-]+\.js$/.test(id)) return 'open-records';
  if (/\/web\/(?:reports\/record-reports|record\/query-plan)\.js$/.test(id)) return 'record-reports'; // for pages and commands
  // For the writer thread, and for pages and commands.
  if (
    /\/sections\/(?:completed|find-findings|finding|finding-locations|findings-of|exception\/refusals|request\/open-work|[\w-]+\/findings)\.js$|\/record\/original-locations\.js$/.test(
      id,
    )
  )
    return 'findings';
  if (/\/web\/tools\/(?!load-tools)[\w-]+\.js$/.test(id)) return 'record-tools'; // for assistants and commands
  if (id.endsWith('/web/tools/load-tools.js')) return 'record-reports'; // except the code that it loads
  if (id.endsWith('/core/dump/render-snapshot-text.js')) return 'snapshot-text'; // server adapters show no values
  if (id.endsWith('/profiler/web/archive/archive.js')) return 'archive';
  if (/\/(?:web\/archive|cli\/records)\/[\w-]+\.js$/.test(id)) return 'archive-files';
  // All code that the flag adds to startup.
  if (
    /\/(?:attach\/(?:servers\/intercept-emit|frameworks\/created-fastify)|setup\/environment)\.js$/.test(id)
  )
    return 'flag';
  if (id.endsWith('/attach/servers/held-emissions.js')) return 'held-emissions'; // the flag loads no other code with it
  return id.endsWith('/recording/finish-page.js') ? 'finish-page' : undefined;
}

/** `#core/http` is one of our modules; a package stays an import. */
function resolve(id) {
  if (id.startsWith('#')) return `${compiled}${id.slice(1)}.js`;
  if (bundled.has(id)) return { id: `bundled:${id}`, moduleSideEffects: false };
  if (id === 'node:http') return { id: 'builtin:http', moduleSideEffects: false };
  return /^[./]|^[A-Za-z]:/.test(id) ? undefined : { id, external: true, moduleSideEffects: false };
}

function load(id) {
  if (id.startsWith('bundled:')) return loadPackage(id.slice('bundled:'.length));
  if (id === 'builtin:http') return { code: loadHttp, map: { mappings: '' } };
  // A text catalogue becomes part of the file that uses it.
  if (id.endsWith('.json'))
    return { code: `export default ${readFileSync(id, 'utf8')}`, map: { mappings: '' } };
  return {
    code: readFileSync(id, 'utf8')
      .replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n')
      .replace(`(import.meta.url)('${mapReader}')`, "(import.meta.url)('./map-reader.cjs')")
      .replace("new URL('./write-in-thread.js', import", "new URL('./write-in-thread.cjs', import"),
    map: JSON.parse(readFileSync(`${id}.map`, 'utf8')),
  };
}

/** Creates one module from a package and its dependencies. Exports of other bundled packages stay imports. */
async function loadPackage(name) {
  const shareOthers = ({ path }) =>
    path !== name && bundled.has(path) ? { path, external: true } : undefined;
  const {
    outputFiles: [{ text }],
  } = await bundlePackage({
    stdin: { contents: `export ${bundled.get(name)} from '${name}';`, resolveDir: root },
    format: 'esm',
    write: false,
    plugins: [{ name: 'shared', setup: (own) => own.onResolve({ filter: /^[^./]/ }, shareOthers) }],
  });
  // A CommonJS module loads Node's own modules with require().
  const requires = /\b__require\(/.test(text)
    ? "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n"
    : '';
  return { code: requires + text, map: { mappings: '' } };
}

/** Bundles a package with esbuild, and records its parts. */
async function bundlePackage(options) {
  const built = await build({
    ...options,
    bundle: true,
    metafile: true,
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    absWorkingDir: root,
  });
  for (const path of Object.keys(built.metafile.inputs)) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    if (folder !== undefined) folders.add(join(root, folder));
  }
  return built;
}

/** Renders the name, version and licence of each bundled package, as their licences require. */
function renderLicenses() {
  const parts = [...folders]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
      if (file === undefined) throw new Error(`${name} has no licence file: it must not be bundled.`);
      return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
    });
  return `The files in this folder contain code from these packages.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** Comments are available in src/ and in the types, so startup need not read them. */
function dropComments(code) {
  // Most modules have no class, and parsing is the most expensive step.
  const text = /\bclass\b/.test(code) ? [...gapsIn(this.parse(code))].reduce(blank, code) : code;
  return transform(text, { legalComments: 'none', sourcemap: 'external', target: 'esnext' });
}

/** Yields the gaps between class members, whose comments esbuild keeps. They contain nothing but comments and spaces. */
function* gapsIn(node) {
  if (typeof node !== 'object' || node === null) return;
  if (node.type === 'ClassBody') {
    const edges = [node.start + 1, ...node.body.flatMap(({ start, end }) => [start, end]), node.end - 1];
    for (let at = 0; at < edges.length; at += 2) yield [edges[at], edges[at + 1]];
  }
  for (const child of Object.values(node)) yield* gapsIn(child);
}

/** Replaces the comments of a gap by spaces, so that all positions remain. */
function blank(code, [start, end]) {
  const gap = code
    .slice(start, end)
    .replace(/\/\*[^]*?\*\/|\/\/.*/g, (comment) => comment.replace(/./g, ' '));
  return code.slice(0, start) + gap + code.slice(end);
}

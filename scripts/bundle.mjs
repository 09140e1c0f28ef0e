// Bundles what tsc compiled to dist/bundle/, the code that the package publishes: one file for each public door and
// shared chunks, so that an application loads a handful of files instead of hundreds. Source maps lead to src/.
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { rollup } from 'rollup';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = `${root}dist/src/`;
const { exports: doors } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
/** Run for what they do, not for what they export. */
const programs = {
  cli: 'cli/main.js',
  register: 'attach/register.js',
  'sqlite-writer-thread': 'profiler/store/sqlite/sqlite-writer-thread.js',
  'store-thread': 'profiler/store/thread/store-thread.js',
};
const names = Object.values(doors)
  .flatMap((door) => /bundle\/(.+)\.js$/.exec(door.default ?? '')?.[1] ?? [])
  .filter((name) => !(name in programs));

rmSync(`${root}dist/bundle`, { recursive: true, force: true });
const bundle = await rollup({
  input: {
    ...Object.fromEntries(names.map((name) => [name, `${compiled}${name}.js`])),
    ...Object.fromEntries(Object.entries(programs).map(([name, path]) => [name, compiled + path])),
  },
  // An unused module is left out: none in src acts by being loaded, but the programs.
  treeshake: { moduleSideEffects: (id) => Object.values(programs).some((path) => id.endsWith(path)) },
  plugins: [{ name: 'compiled', resolveId: resolve, load, transform: dropComments }],
  onwarn(warning) {
    throw new Error(warning.message);
  },
});
await bundle.write({
  dir: `${root}dist/bundle`,
  format: 'esm',
  hoistTransitiveImports: false, // a door must not load an optional package for another one
  sourcemap: true,
  sourcemapExcludeSources: true, // src/ is in the package
  experimentalMinChunkSize: 12_000, // each set of doors that share something has a chunk: small ones join others
  // An adapter loads the package that it adapts, so its file is joined with none.
  manualChunks: chunkOf,
  onlyExplicitManualChunks: true,
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();
for (const room of ['shell', 'toolbar'])
  cpSync(`${compiled}profiler/web/${room}/browser`, `${root}dist/bundle/browser`, { recursive: true });

function chunkOf(id) {
  const name = /\/attach\/(express|fastify|h3|hono|koa|nest)\.js$/.exec(id)?.[1];
  if (name !== undefined) return `adapter-${name}`;
  // Loaded with the first page in debug: too small to stay alone by itself.
  if (/\/web\/toolbar\/(?!show)[\w-]+\.js$/.test(id)) return 'toolbar';
  // A command of ours is joined with nothing that an application loads.
  const command = /\/cli\/(?:(new|dev)\/[\w-]+|(?:records\/)?([\w-]+-commands?))\.js$/.exec(id);
  if (command !== null) return command[2] ?? `${command[1]}-command`;
  // What commands share, no part of an application.
  if (/\/cli\/command-line\/[\w-]+\.js$/.test(id)) return 'command-line';
  if (/\/cli\/records\/(?!read-)[\w-]+\.js$/.test(id)) return 'open-records';
  if (/\/profiler\/archive\/(?:archive|own-parts|summary-of-record)\.js$/.test(id)) return 'archive';
  if (/\/(?:profiler\/archive|cli\/records)\/[\w-]+\.js$|\/check-sqlite-file\.js$/.test(id))
    return 'archive-files';
  // Loaded with the first list of a store's file.
  if (
    /\/profiler\/find\/block\/[\w-]+\.js$|\/(?:block-indexer|replace-blocks|sql-reader|sqlite-reader)\.js$/.test(
      id,
    )
  )
    return 'sqlite-reader';
  // All that the flag adds to a start.
  if (/\/attach\/(?:servers\/intercept-emit|watch\/settings)\.js$/.test(id)) return 'intercept-emit';
  return id.endsWith('/recording/finish-page.js') ? 'finish-page' : undefined;
}

/** `#house` is a door of ours; what is no file of ours stays an import. */
function resolve(id) {
  if (id.startsWith('#')) return `${compiled}${id.slice(1)}.js`;
  return /^[./]|^[A-Za-z]:/.test(id) ? undefined : { id, external: true, moduleSideEffects: false };
}

function load(id) {
  // A catalogue of texts becomes a part of the file that says them.
  if (id.endsWith('.json'))
    return { code: `export default ${readFileSync(id, 'utf8')}`, map: { mappings: '' } };
  return {
    code: readFileSync(id, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'),
    map: JSON.parse(readFileSync(`${id}.map`, 'utf8')),
  };
}

/** Comments stand in src/ and in the types: a start need not read them. */
function dropComments(code) {
  return transform(code, { legalComments: 'none', sourcemap: 'external', target: 'esnext' });
}

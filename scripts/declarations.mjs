// Rolls up the declarations that tsc writes: one file per entry in dist/bundle/, beside the entry's code, and files in
// dist/bundle/types/ for what several entries share. Each type is declared once, so it is the same type in every entry, and
// `declare module 'lookback/…'` extends it for all of them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

/** Preact's declarations, which are copied, because JSX elements have its types. */
const preact = {
  index: 'src/index',
  jsx: 'src/jsx',
  dom: 'src/dom',
  'jsx-runtime': 'jsx-runtime/src/index',
};

/** Writes the declarations of entries. `entries` has the names that the code of each exports: of `index`, `createApp` … */
export async function writeDeclarations(root, entries) {
  const compiled = join(root, 'dist/src');
  const folder = join(root, 'dist/bundle');
  copyPreact(root, join(folder, 'preact'));
  const bundle = await rollup({
    input: Object.fromEntries([...entries.keys()].map((name) => [name, join(compiled, `${name}.d.ts`)])),
    makeAbsoluteExternalsRelative: true,
    plugins: [{ name: 'compiled', resolveId: (id) => resolve(id, compiled) }, dts()],
    onwarn({ code, plugin, message }) {
      // An entry may be only a program, and users need not name every type that an entry uses.
      const isExpected =
        code === 'EMPTY_BUNDLE' || (plugin === 'dts' && message.includes('no public re-export'));
      if (!isExpected) throw new Error(message);
    },
  });
  const { output } = await bundle.generate({
    dir: folder,
    entryFileNames: '[name].d.ts',
    chunkFileNames: ({ name }) => `types/${name.replace(/\.d$/, '')}.d.ts`,
    hoistTransitiveImports: false,
    minifyInternalExports: false,
  });
  await bundle.close();
  mkdirSync(join(folder, 'types'), { recursive: true });
  for (const { fileName, name, code, facadeModuleId, isEntry } of output) {
    const text = isEntry ? withComment(markTypes(code, entries.get(name)), facadeModuleId) : code;
    writeFileSync(join(folder, fileName), text);
  }
}

/** Marks what an entry's code does not export: the roll-up exports classes that are only types as values. */
function markTypes(code, values) {
  return code.replaceAll(/^export \{([^}]+\w[^}]*)\}/gm, (_, list) => {
    const names = list.split(',').map((part) => {
      const name = part.trim();
      return values.includes(name.replace(/^.* as /, '')) ? name : `type ${name}`;
    });
    return `export { ${names.join(', ')} }`;
  });
}

/** Adds the comment that begins an entry and describes it, which the roll-up omits from most. */
function withComment(code, file) {
  const comment = /^\/\*\*[^]*?\*\/\n/.exec(readFileSync(file, 'utf8'))?.[0] ?? '';
  return code.includes(comment) ? code : comment + code;
}

/** `#core/http` is one of our modules, and types of packages stay imports. */
function resolve(id, compiled) {
  if (id.startsWith('#')) return join(compiled, `${id.slice(1)}.d.ts`);
  // The path is what builds before the roll-up wrote, and a compiled file may still have.
  const copied = /^preact(?:\/(jsx-runtime))?$|\/bundle\/preact\/([\w-]+)\.js$/.exec(id);
  // Paths in the output are relative to the entries.
  if (copied !== null)
    return { id: join(compiled, `preact/${copied[1] ?? copied[2] ?? 'index'}.js`), external: true };
  return id.startsWith('.') || id.startsWith(dirname(compiled)) ? undefined : { id, external: true };
}

function copyPreact(root, folder) {
  mkdirSync(folder, { recursive: true });
  for (const [name, path] of Object.entries(preact)) {
    const text = readFileSync(join(root, `node_modules/preact/${path}.d.ts`), 'utf8');
    const own = text.replaceAll(
      / from '(?:preact|[./]+\/(?:src\/)?(jsx|dom))'/g,
      (_, file = 'index') => ` from './${file}.js'`,
    );
    writeFileSync(join(folder, `${name}.d.ts`), own);
  }
}

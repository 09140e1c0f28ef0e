import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** The source files in a folder, without tests, in a stable order. */
export function* sourceFiles(folder: string): Generator<string> {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* sourceFiles(path);
    else if (/\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name)) yield path;
  }
}

/** The test files in a folder. */
export function testFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
}

/** A file's import specifiers, including types. */
export function importsOf(file: string): string[] {
  const matches = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g);
  return [...matches].map(([, specifier = '']) => specifier);
}

/** The files that a file imports by relative path, including types. */
export function neighboursOf(file: string): string[] {
  return importsOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => resolve(dirname(file), specifier.replace(/\.js$/, '')))
    .flatMap((stem) => ['.ts', '.tsx'].map((ending) => relative('.', stem + ending)).filter(existsSync));
}

/** Groups of nodes that can reach one another: a graph's cycles (Tarjan). */
export function circlesOf(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    let least = index;
    open.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) least = Math.min(least, visit(next));
      else if (open.includes(next)) least = Math.min(least, order.get(next) ?? least);
    }
    if (least === index) {
      const circle = open.splice(open.indexOf(node));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return least;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return circles.sort();
}

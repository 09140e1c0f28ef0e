import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rollup/parseAst';

/** A regular expression in the sources, with its file. */
export interface FoundPattern {
  readonly file: string;
  readonly pattern: string;
  readonly flags: string;
}

const root = join(import.meta.dirname, '../src');

/** The compiled sources in a folder, or one of them, without tests: paths from `dist/src`. */
export function compiledFiles(under = ''): string[] {
  if (under.endsWith('.js')) return [under];
  return readdirSync(join(root, under), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js') && !name.includes('.test.'))
    .map((name) => join(under, name).replaceAll('\\', '/'));
}

/** The regular expression literals in a compiled source; expressions built at run time are not included. */
export function patternsIn(file: string): FoundPattern[] {
  const found: FoundPattern[] = [];
  visit(file, ({ regex }) => {
    if (regex !== undefined) found.push({ file, ...regex });
  });
  return found;
}

interface Visited {
  readonly type?: string;
  readonly value?: unknown;
  readonly regex?: { readonly pattern: string; readonly flags: string };
}

function visit(file: string, see: (node: Visited) => void): void {
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ((node as Visited).type === 'ImportDeclaration') return;
    see(node);
    for (const child of Object.values(node)) walk(child);
  };
  walk(parseAst(readFileSync(join(root, file), 'utf8')));
}

const classes: Readonly<Record<string, readonly string[]>> = {
  s: [' ', '\n'],
  d: ['1'],
  w: ['a', 'A1'],
  S: ['a'],
  n: ['\n'],
  r: ['\r'],
  t: ['\t'],
  D: ['a'],
  W: [' '],
};

/** The characters and words in a pattern, one per class, and a character that is not in it. */
export function atomsOfPattern(pattern: string): string[] {
  const atoms = new Set<string>(['\u0001', 'x']);
  const token =
    /\\[pPu]\{[^{}]*\}|\\[xu][\da-f]{2,4}|\\.|\(\?(?:<?[=!]|:)|\{\d+(?:,\d*)?\}|[\w\s\-/:=<>@#&%,;"'!~`]{2,}(?![*+?{])|[^()|?*+^$[\]]/gi;
  for (const [text] of pattern.matchAll(token)) {
    if (/^(?:\(\?|\{\d)/.test(text)) continue;
    if (!text.startsWith('\\')) atoms.add(text);
    for (const atom of text.startsWith('\\') ? (classes[text[1] ?? ''] ?? literal(text[1] ?? '')) : text)
      atoms.add(atom);
  }
  return [...atoms];
}

function literal(character: string): readonly string[] {
  return /\w/.test(character) ? [] : [character];
}

/** The atoms of hand-written parsers: those of their patterns, and the texts that they compare with. */
export function atomsOfFiles(files: readonly string[]): string[] {
  const atoms = new Set<string>();
  for (const file of files)
    visit(file, ({ type, value, regex }) => {
      if (regex !== undefined) for (const atom of atomsOfPattern(regex.pattern)) atoms.add(atom);
      else if (type === 'Literal' && typeof value === 'string') addWords(value, atoms);
      else if (type === 'TemplateElement') {
        const { raw } = value as { readonly raw: string }; // in this type of node
        for (const atom of atomsOfPattern(raw)) atoms.add(atom);
      }
    });
  return [...atoms].filter((atom) => atom.length > 0 && atom.length <= 40);
}

/** Only the first words of a long list are used. */
function addWords(text: string, atoms: Set<string>): void {
  const words = text.split(' ');
  if (words.length < 6) atoms.add(text);
  else for (const word of words.slice(0, 6)) atoms.add(word);
}

/** Whole numbers below a limit, the same in each run with the same seed. */
export function createRandom(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** The CPU time that `work` takes, in milliseconds, which other programs on the machine hardly affect. */
function costOf(read: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage();
  try {
    read(text);
  } catch {
    // Most of the repeated text is refused.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** A text of a given length: the unit repeated, or its halves, like brackets that are opened and then closed. */
export type Pump = (length: number) => string;

export function pumpOf(unit: string, closing = '', end = ''): Pump {
  return (length) => {
    const times = Math.max(1, Math.floor(length / (unit.length + closing.length)));
    return unit.repeat(times) + closing.repeat(times) + end;
  };
}

/** The longer text is eight times as long, and takes a quadratic reader 64 times as long; longer ones would show nothing more. */
const [short, long] = [4096, 32_768];
/** If the short text is cheaper than this, it is not checked: the millions of steps of a quadratic reader take longer. */
const suspiciousMs = 1;
/** The maximum cost of the longer text relative to its length, with room for garbage collection. */
const greatestExcess = 3;
/** The absolute maximum for the longer text. A linear reader takes a few milliseconds. */
const mostMs = 400;
/** Garbage collection never takes this long, so the result is not measured again. */
const certainMs = 100;

/**
 * Returns the costs of the short and the long text if they grow faster than the text or are too high in absolute terms; otherwise
 * undefined. A suspicious result is measured again, because garbage collection or a busy machine may be the cause.
 */
export function findGrowth(read: (text: string) => unknown, pump: Pump): readonly number[] | undefined {
  let costs: readonly number[] = [];
  for (let tries = 0; tries < 3; tries++) {
    let first = costOf(read, pump(short));
    if (first < suspiciousMs) return undefined;
    first = Math.min(first, costOf(read, pump(short))); // the first run may include compilation
    const last = costOf(read, pump(long));
    costs = [first, last];
    const share = (first * long) / short;
    if (last < mostMs && last < greatestExcess * share) return undefined;
    if (last - share > certainMs && last > greatestExcess * share) break;
  }
  return costs;
}

/** Reports the pumps that fail. */
export function assertLinear(
  what: string,
  read: (text: string) => unknown,
  pumps: Iterable<readonly [name: string, pump: Pump]>,
): void {
  for (const [name, pump] of pumps) {
    const costs = findGrowth(read, pump);
    const said = costs
      ?.map((cost, index) => `${index === 0 ? short / 1024 : long / 1024} KB: ${cost} ms`)
      .join(', ');
    assert.equal(said, undefined, `${what}, repeated ${name}`);
  }
}

/** The pumps for a pattern: each atom and each pair of atoms, followed by a character that may or may not end a match. */
export function* pumpsOfPattern(pattern: string): Generator<readonly [string, Pump]> {
  const atoms = atomsOfPattern(pattern).slice(0, 16);
  const units = [...atoms, ...atoms.flatMap((one) => atoms.map((other) => one + other))];
  for (const unit of new Set(units)) yield [JSON.stringify(unit), pumpOf(unit, '', '\u0001')];
}

/** The text length at which the search compares units; the slowest ones are then measured at the lengths above. */
const searched = 2048;
/** The maximum CPU time of the search for one reader, in milliseconds. */
const searchMs = 90;

/**
 * The pumps for a parser: each atom alone, random sequences of atoms, and sequences that open and close. The slowest ones are varied
 * further, because three characters that are cheap alone may be expensive together.
 */
export function searchPumps(
  read: (text: string) => unknown,
  atoms: readonly string[],
  { tries, random }: { readonly tries: number; readonly random: (limit: number) => number },
): readonly (readonly [string, Pump])[] {
  const signs = atoms.filter((atom) => atom.length === 1);
  const pick = (): string => {
    const from = random(2) === 0 ? signs : atoms;
    return from[random(from.length)] ?? '';
  };
  const best: {
    readonly name: string;
    readonly parts: readonly string[];
    readonly pump: Pump;
    readonly cost: number;
  }[] = [];
  let spent = 0;
  const consider = (parts: readonly string[], closing = ''): void => {
    const unit = parts.join('');
    const name = JSON.stringify(closing === '' ? unit : [unit, closing]);
    if (unit === '' || best.some((one) => one.name === name)) return;
    const pump = pumpOf(unit, closing);
    const text = pump(searched);
    const least = best.length < 24 ? 0 : (best.at(-1)?.cost ?? 0);
    let cost = costOf(read, text);
    spent += cost;
    if (cost > least) cost = Math.min(cost, costOf(read, text)); // keeps garbage collection out of the measurement
    if (cost <= least) return;
    best.push({ name, parts, pump, cost });
    best.sort((a, b) => b.cost - a.cost);
    best.length = Math.min(best.length, 24);
  };
  for (const atom of atoms) consider([atom]);
  for (let time = 0; time < tries && spent < searchMs; time++) {
    const parts = Array.from({ length: 1 + random(5) }, pick);
    const { parts: former = [] } = best[random(best.length)] ?? {};
    const at = random(former.length + 1);
    if (time % 4 === 0) consider(parts);
    else if (time % 4 === 1) consider(parts.slice(0, 2), pick());
    else consider([...former.slice(0, at), pick(), ...former.slice(at + (time % 2))].slice(0, 8));
  }
  return best.map(({ name, pump }) => [name, pump]);
}

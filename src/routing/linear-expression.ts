import type { Expression } from './parse-expression.js';

/** What matching needs of a regular expression. */
export interface TextMatcher {
  test(text: string): boolean;
  /** The captures, without the whole; null where the text does not match. */
  capture(text: string): readonly (string | undefined)[] | null;
}

/** One part of a whole: an expression, captured or not. */
export interface MatcherPart {
  readonly tree: Expression;
  readonly captured: boolean;
}

type Instruction =
  | { readonly kind: 'char'; readonly takes: (char: string) => boolean }
  | { readonly kind: 'fork'; readonly first: number; readonly second: number }
  | { readonly kind: 'jump'; readonly to: number }
  | { readonly kind: 'save'; readonly slot: number }
  /** A repetition that may be left out begins; at `check` it must have taken something (ECMA-262, RepeatMatcher). */
  | { readonly kind: 'enter'; readonly bit: number }
  | { readonly kind: 'check'; readonly bit: number };

interface Program {
  readonly steps: Instruction[];
  /** How deep repetitions over something that may be empty stand in each other; each depth has a bit of its own. */
  guards: number;
  depth: number;
}

/** Deeper ones go unguarded: they match the same texts, and may share them out otherwise. */
const mostGuards = 8;

/**
 * Matches as a backtracking engine would, but remembers which places of the program have failed at which places of the
 * text, so that the time is at most program × text. For expressions that the engine of the language can be made to run
 * through in many ways; they must hold no assertions.
 */
export function createLinearMatcher(parts: readonly MatcherPart[]): TextMatcher {
  const program = compileProgram(parts);
  const slots = parts.filter((part) => part.captured).length;
  const capture = (text: string): readonly (string | undefined)[] | null => {
    const ends = runProgram(program, Array.from(text));
    if (ends === undefined) return null;
    const chars = Array.from(text);
    return Array.from({ length: slots }, (_, slot) => {
      const [start, end] = [ends[slot * 2], ends[slot * 2 + 1]];
      return start === undefined || end === undefined ? undefined : chars.slice(start, end).join('');
    });
  };
  return { test: (text) => runProgram(program, Array.from(text)) !== undefined, capture };
}

function compileProgram(parts: readonly MatcherPart[]): Program {
  const program: Program = { steps: [], guards: 0, depth: 0 };
  let slot = 0;
  for (const { tree, captured } of parts) {
    if (captured) program.steps.push({ kind: 'save', slot: slot++ });
    emit(tree, program);
    if (captured) program.steps.push({ kind: 'save', slot: slot++ });
  }
  return program;
}

function emit(tree: Expression, program: Program): void {
  if (tree.kind === 'char') program.steps.push({ kind: 'char', takes: charTest(tree.source) });
  else if (tree.kind === 'sequence') for (const part of tree.parts) emit(part, program);
  else if (tree.kind === 'choice') emitChoice(tree.options, program);
  else if (tree.kind === 'repeat') emitRepeat(tree, program);
}

/** Answers for ASCII from a table. */
function charTest(source: string): (char: string) => boolean {
  const form = new RegExp(`^${source}$`, 'su');
  const table = Uint8Array.from({ length: 128 }, (_, code) => (form.test(String.fromCharCode(code)) ? 1 : 0));
  return (char) => {
    const code = char.charCodeAt(0);
    return code < 128 ? table[code] === 1 : form.test(char);
  };
}

function emitChoice(options: readonly Expression[], program: Program): void {
  const { steps } = program;
  const ends: number[] = [];
  for (const [index, option] of options.entries()) {
    const fork = steps.length;
    if (index < options.length - 1) steps.push({ kind: 'jump', to: 0 });
    emit(option, program);
    if (index === options.length - 1) continue;
    ends.push(steps.length);
    steps.push({ kind: 'jump', to: 0 });
    steps[fork] = { kind: 'fork', first: fork + 1, second: steps.length };
  }
  for (const end of ends) steps[end] = { kind: 'jump', to: steps.length };
}

function emitRepeat(
  { body, min, max, lazy }: Extract<Expression, { kind: 'repeat' }>,
  program: Program,
): void {
  const { steps } = program;
  const fork = (inside: number, outside: number): Instruction => ({
    kind: 'fork',
    first: lazy ? outside : inside,
    second: lazy ? inside : outside,
  });
  for (let count = 0; count < min; count += 1) emit(body, program);
  const forks: number[] = [];
  for (let count = min; count < (max === Infinity ? min + 1 : max); count += 1) {
    forks.push(steps.length);
    steps.push({ kind: 'jump', to: 0 });
    emitOptional(body, program);
  }
  if (max === Infinity) steps.push({ kind: 'jump', to: forks[0] ?? 0 });
  for (const at of forks) steps[at] = fork(at + 1, steps.length);
}

/** One repetition that might as well be left out: taking nothing in it does not count as taking it. */
function emitOptional(body: Expression, program: Program): void {
  if (program.depth >= mostGuards || !canBeEmpty(body)) {
    emit(body, program);
    return;
  }
  const bit = 1 << program.depth;
  program.depth += 1;
  program.guards = Math.max(program.guards, program.depth);
  program.steps.push({ kind: 'enter', bit });
  emit(body, program);
  program.steps.push({ kind: 'check', bit });
  program.depth -= 1;
}

function canBeEmpty(tree: Expression): boolean {
  if (tree.kind === 'sequence') return tree.parts.every(canBeEmpty);
  if (tree.kind === 'choice') return tree.options.some(canBeEmpty);
  if (tree.kind === 'repeat') return tree.min === 0 || canBeEmpty(tree.body);
  return tree.kind !== 'char';
}

interface Thread {
  readonly step: number;
  readonly at: number;
  /** Bits of the guarded repetitions that have taken something; all of them outside any. */
  readonly taken: number;
  readonly saved:
    | { readonly slot: number; readonly at: number; readonly before: Thread['saved'] }
    | undefined;
}

/** A set of small numbers, a byte each: most programs have one bit of state and many places. */
class PlaceMap {
  readonly #marks: Uint8Array;

  constructor(size: number) {
    this.#marks = new Uint8Array(size);
  }

  has(place: number): boolean {
    return this.#marks[place] === 1;
  }

  add(place: number): void {
    this.#marks[place] = 1;
  }
}

/** Places of the captures, or undefined. Threads wait on a stack, the preferred one on top. */
function runProgram({ steps, guards }: Program, chars: readonly string[]): number[] | undefined {
  const all = (1 << guards) - 1;
  const width = chars.length + 1;
  const tried = guards === 0 ? new PlaceMap(steps.length * width + width) : new Set<number>();
  const stack: Thread[] = [{ step: 0, at: 0, taken: all, saved: undefined }];
  for (let thread = stack.pop(); thread !== undefined; thread = stack.pop()) {
    const { step, at, taken, saved } = thread;
    const instruction = steps[step];
    if (instruction === undefined && at === chars.length) return placesOf(saved);
    const place = (step * width + at) * (all + 1) + taken;
    if (instruction === undefined || tried.has(place)) continue;
    tried.add(place);
    const next = step + 1;
    if (instruction.kind === 'char') {
      const char = chars[at];
      if (char !== undefined && instruction.takes(char))
        stack.push({ step: next, at: at + 1, taken: all, saved });
    } else if (instruction.kind === 'fork') {
      stack.push(
        { step: instruction.second, at, taken, saved },
        { step: instruction.first, at, taken, saved },
      );
    } else if (instruction.kind === 'jump') stack.push({ step: instruction.to, at, taken, saved });
    else if (instruction.kind === 'enter')
      stack.push({ step: next, at, taken: taken & ~instruction.bit, saved });
    else if (instruction.kind === 'check') {
      if ((taken & instruction.bit) !== 0) stack.push({ step: next, at, taken, saved });
    } else stack.push({ step: next, at, taken, saved: { slot: instruction.slot, at, before: saved } });
  }
  return undefined;
}

function placesOf(saved: Thread['saved']): number[] {
  const places: number[] = [];
  for (let one = saved; one !== undefined; one = one.before) places[one.slot] ??= one.at;
  return places;
}

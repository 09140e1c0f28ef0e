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
  | { readonly kind: 'save'; readonly slot: number };

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

function compileProgram(parts: readonly MatcherPart[]): Instruction[] {
  const program: Instruction[] = [];
  let slot = 0;
  for (const { tree, captured } of parts) {
    if (captured) program.push({ kind: 'save', slot: slot++ });
    emit(tree, program);
    if (captured) program.push({ kind: 'save', slot: slot++ });
  }
  return program;
}

function emit(tree: Expression, program: Instruction[]): void {
  if (tree.kind === 'char') program.push({ kind: 'char', takes: charTest(tree.source) });
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

function emitChoice(options: readonly Expression[], program: Instruction[]): void {
  const ends: number[] = [];
  for (const [index, option] of options.entries()) {
    const fork = program.length;
    if (index < options.length - 1) program.push({ kind: 'jump', to: 0 });
    emit(option, program);
    if (index === options.length - 1) continue;
    ends.push(program.length);
    program.push({ kind: 'jump', to: 0 });
    program[fork] = { kind: 'fork', first: fork + 1, second: program.length };
  }
  for (const end of ends) program[end] = { kind: 'jump', to: program.length };
}

function emitRepeat(
  { body, min, max, lazy }: Extract<Expression, { kind: 'repeat' }>,
  program: Instruction[],
): void {
  const fork = (inside: number, outside: number): Instruction => ({
    kind: 'fork',
    first: lazy ? outside : inside,
    second: lazy ? inside : outside,
  });
  for (let count = 0; count < min; count += 1) emit(body, program);
  const forks: number[] = [];
  for (let count = min; count < (max === Infinity ? min + 1 : max); count += 1) {
    forks.push(program.length);
    program.push({ kind: 'jump', to: 0 });
    emit(body, program);
  }
  if (max === Infinity) program.push({ kind: 'jump', to: forks[0] ?? 0 });
  for (const at of forks) program[at] = fork(at + 1, program.length);
}

interface Thread {
  readonly step: number;
  readonly at: number;
  readonly saved:
    | { readonly slot: number; readonly at: number; readonly before: Thread['saved'] }
    | undefined;
}

/** Places of the captures, or undefined. Threads wait on a stack, the preferred one on top. */
function runProgram(program: readonly Instruction[], chars: readonly string[]): number[] | undefined {
  const width = chars.length + 1;
  const tried = new Uint8Array((program.length + 1) * width);
  const stack: Thread[] = [{ step: 0, at: 0, saved: undefined }];
  for (let thread = stack.pop(); thread !== undefined; thread = stack.pop()) {
    const { step, at, saved } = thread;
    const instruction = program[step];
    if (instruction === undefined && at === chars.length) return placesOf(saved);
    if (instruction === undefined || tried[step * width + at] === 1) continue;
    tried[step * width + at] = 1;
    if (instruction.kind === 'char') {
      const char = chars[at];
      if (char !== undefined && instruction.takes(char)) stack.push({ step: step + 1, at: at + 1, saved });
    } else if (instruction.kind === 'fork') {
      stack.push({ step: instruction.second, at, saved }, { step: instruction.first, at, saved });
    } else if (instruction.kind === 'jump') stack.push({ step: instruction.to, at, saved });
    else stack.push({ step: step + 1, at, saved: { slot: instruction.slot, at, before: saved } });
  }
  return undefined;
}

function placesOf(saved: Thread['saved']): number[] {
  const places: number[] = [];
  for (let one = saved; one !== undefined; one = one.before) places[one.slot] ??= one.at;
  return places;
}

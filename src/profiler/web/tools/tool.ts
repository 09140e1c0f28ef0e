import { visibleText } from '#core/html';
import type { MatchTrace } from '#core/routing';
import type { Profiler, QueryExplainer } from '../../model/profiler.js';
import type { ProfileCondition } from '../../model/profile-query.js';
import { parseQuery } from '../../search/parse-query.js';

/** The tools' record source: a profiler, or a store that another process writes. */
export type ToolRecords = Pick<Profiler, 'find' | 'list' | 'totals' | 'news' | 'routes' | 'collected'>;

/** A store on this machine, and the application that wrote its newest record. */
export interface KnownApplication {
  /** Name accepted by the `app` parameter. */
  readonly name: string;
  readonly store: string;
  /** Whether it is read if nothing is selected. */
  readonly isChosen: boolean;
  readonly records: number | null;
  readonly lastAt: number | null;
  /** Its newest request's origin, the process that handled it, and whether that process is running. */
  readonly url: string | null;
  readonly process: string | null;
  readonly isRunning: boolean | null;
  /** Why its records cannot be read; null if they can. */
  readonly problem: string | null;
}

/** Opened records, and a note to precede each answer, such as that they belong to another application. */
type OpenedRecords = ToolRecords & { readonly close?: () => Promise<void>; readonly note?: string };

/** Finds records for a tool server, on each call, so that a store may appear later. */
export interface RecordSource {
  /** Opens an application's records by the beginning of its name; throws with a sentence if there are none. */
  open(app: string | undefined): Promise<OpenedRecords>;
  applications(): Promise<readonly KnownApplication[]>;
  /** Describes what is recorded, where, and what prevents recording. */
  diagnose(): Promise<
    readonly { readonly topic: string; readonly text: string; readonly isProblem: boolean }[]
  >;
}

/** A tool call's context. */
export interface ToolContext {
  readonly records: ToolRecords;
  readonly source: RecordSource;
  readonly replayTo?: string | undefined;
  readonly write?: boolean | undefined;
  /** Queries the databases that this process is connected to. */
  readonly explainer?: QueryExplainer | undefined;
  /** The application's routes, if it serves the tools itself. */
  readonly routes?: KnownRoutes | undefined;
  readonly now: () => number;
}

/** An application's routes, and a function that matches requests against them. */
export interface KnownRoutes {
  all(): readonly { readonly name: string; readonly path: string }[];
  explain(method: string, path: string): MatchTrace;
}

/** A parameter as JSON Schema. */
export type Parameter = { readonly description: string } & (
  | { readonly type: 'string'; readonly enum?: readonly string[]; readonly maxLength?: number }
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly type: 'boolean' }
  | { readonly type: 'array'; readonly items: { readonly type: 'string'; readonly enum?: readonly string[] } }
);

/** A tool's input, as described by its parameters. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** One answer line, also as data. */
export interface AnswerRow {
  readonly line: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A tool's answer: text, list rows, or both. Parts may come from outside. */
export interface Answer {
  /** Text before the rows. */
  readonly head?: string;
  readonly rows?: readonly AnswerRow[];
  /** Text after the rows. */
  readonly foot?: string;
  /** Data in addition to the rows. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Renders the answer with fewer rows; without it, further rows are omitted and counted. */
  readonly shorten?: (rows: number) => Promise<Answer>;
  readonly isError?: boolean;
}

/** A question shared by assistants and the command line: its parameters, and the answer as text and data. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly required?: readonly string[];
  /** JSON Schema for row fields, for a tool that answers with rows, and of additional fields. */
  readonly row?: Readonly<Record<string, object>>;
  readonly fields?: Readonly<Record<string, object>>;
  /** True if it sends a request to the application. */
  readonly acts?: boolean;
  /** True if it needs no records. */
  readonly isGlobal?: boolean;
  run(input: ToolInput, context: ToolContext): Promise<Answer>;
}

/** Returns a problem as an answer, so that the assistant can correct itself. */
export function refuse(text: string): Answer {
  return { head: text, isError: true };
}

export function textIn(input: ToolInput, name: string): string | undefined {
  const value = input[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberIn(input: ToolInput, name: string, otherwise: number): number {
  const value = input[name];
  return typeof value === 'number' ? value : otherwise;
}

export const budgetParameter: Parameter = {
  type: 'integer',
  minimum: 500,
  maximum: 20_000,
  description: 'Bytes',
};
export const searchParameter: Parameter = {
  type: 'string',
  maxLength: 2000,
  description: 'status:>=500 path:/api* finding:n+1 …',
};
export const asParameter: Parameter = {
  type: 'string',
  enum: ['text', 'data'],
  description: 'Rows as text or data',
};

/** A row field that may be null; an answer's schema names it without a type. */
export const orNull: object = {};

export function limitParameter(otherwise: number): Parameter {
  return { type: 'integer', minimum: 1, maximum: 100, description: `Default ${otherwise}` };
}

/** A parsed query and its description. */
export interface ReadQuery {
  readonly where: readonly ProfileCondition[];
  /** `status:>=500 and the text “x”`; empty for no query. */
  readonly words: string;
}

/** Parses a query; returns its errors as text. */
export function readQuery(query: string, records: ToolRecords, now: number): ReadQuery | string {
  const { where, terms, problems } = parseQuery(query, { collected: records.collected, now });
  if (problems.length > 0)
    return problems.map(({ from, to, words }) => `“${query.slice(from, to)}”: ${words}`).join('\n');
  const words = terms.map(({ from, to, field }) => {
    const part = query.slice(from, to);
    return field === '' ? `the text “${part.replace(/^-/, '')}”${part.startsWith('-') ? ' not' : ''}` : part;
  });
  return { where, words: words.join(' and ') };
}

export function readAs({ words }: ReadQuery, found: number, of: number): string {
  return words === '' ? `${found} of ${of} requests` : `Read as: ${words}; ${found} of ${of} requests`;
}

/** A finished answer. */
export interface FittedAnswer {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly isError: boolean;
}

const defaultBudget = 3000;
const maxErrorBytes = 2000;
/** Bytes taken by the marks around recorded text. */
const frameBytes = 330;

/**
 * Fits an answer, text and data together, into a number of bytes: either the full text with only the additional data,
 * or the full data with one line of text. A list ends at a whole row, and its cursor continues after the last of them.
 */
export async function fitAnswer(
  answer: Answer,
  input: ToolInput,
  { budget: given = numberIn(input, 'budget', defaultBudget) }: { readonly budget?: number | undefined } = {},
): Promise<FittedAnswer> {
  const budget = given - frameBytes;
  if (answer.isError === true)
    return {
      text: cutText(sendableText(answer.head ?? ''), Math.min(budget, maxErrorBytes)),
      data: undefined,
      isError: true,
    };
  const isData = input['as'] === 'data';
  let current = answer;
  for (;;) {
    const rows = current.rows ?? [];
    const fitting = countFitting(current, { budget, isData });
    if (fitting === rows.length || current.shorten === undefined)
      return finish(current, fitting, { budget, isData });
    // Without a whole row, there is no position where a next page could begin.
    if (fitting === 0) return finish({ ...current, foot: '', data: {} }, 0, { budget, isData });
    const shorter = await current.shorten(fitting);
    if ((shorter.rows ?? []).length >= rows.length) return finish(shorter, fitting, { budget, isData });
    current = shorter;
  }
}

function countFitting(
  { head = '', rows = [], foot = '', data = {} }: Answer,
  { budget, isData }: { readonly budget: number; readonly isData: boolean },
): number {
  let left = budget - bytesOf(head) - bytesOf(foot) - bytesOf(JSON.stringify(data)) - 60;
  let count = 0;
  for (const row of rows) {
    left -= (isData ? bytesOf(JSON.stringify(visibleData(row.data))) : bytesOf(visibleText(row.line))) + 1;
    if (left < 0) break;
    count++;
  }
  return count;
}

function finish(
  { head = '', rows: given, foot = '', data = {} }: Answer,
  count: number,
  { budget, isData }: { readonly budget: number; readonly isData: boolean },
): FittedAnswer {
  const rows = given ?? [];
  const shown = rows.slice(0, count);
  const left = rows.length - count;
  const rest = left === 0 ? '' : `Left out: ${left} of ${rows.length} rows (raise budget).`;
  const lines = [head, ...(isData ? [] : shown.map(({ line }) => line)), rest, foot].filter(
    (line) => line !== '',
  );
  const text = sendableText(lines.join('\n'));
  const counted = { shown: count, ...(left === 0 ? {} : { leftOut: left }) };
  const all = given === undefined ? data : { ...data, ...counted };
  const filled = isData && given !== undefined ? { ...all, rows: shown.map((row) => row.data) } : all;
  const room = budget - bytesOf(JSON.stringify(filled));
  return { text: cutText(text, Math.max(200, room)), data: visibleData(filled), isError: false };
}

/** Makes control characters visible, and replaces halves of characters: some assistants refuse an answer with one. */
function sendableText(text: string): string {
  return visibleText(text).toWellFormed();
}

export function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** Truncates a text to a number of bytes at the end of a line, with a note. */
export function cutText(text: string, bytes: number): string {
  if (bytesOf(text) <= bytes) return text;
  const room = Math.max(0, bytes - 70);
  const head = new TextDecoder().decode(Buffer.from(text).subarray(0, room), { stream: true }); // never splits a character
  const line = head.lastIndexOf('\n');
  const kept = line > head.length / 2 ? head.slice(0, line) : head;
  return `${kept}\n… cut: ${bytesOf(text) - bytesOf(kept)} further bytes (raise budget)`;
}

/** Returns data with control characters made visible, like those in the text. */
export function visibleData(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const clean = (_name: string, value: unknown): unknown =>
    typeof value === 'string' ? sendableText(value) : value;
  return JSON.parse(JSON.stringify(data), clean) as Record<string, unknown>; // an object stays an object
}

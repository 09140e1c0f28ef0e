import { stripVTControlCharacters } from 'node:util';
import { say } from '#core/phrases';
import type { App } from '../app.js';

/** `lookback dev`, which runs this process. It may belong to another copy of the package. */
interface DevRunner {
  /** The command's version. */
  readonly version: string;
  /** The trigger for restarts, such as `watching 2 folders`. */
  readonly watching: string;
  readonly isRestart: boolean;
  /** Whether it reads keys from the terminal; false if the application reads them itself. */
  hasKeys(): boolean;
  /** Called when the application accepts requests, with the URL of the profiler's pages, if there are any. */
  serving(profiler: string | undefined): void;
}

interface Start {
  readonly url: string;
  readonly profiler: string | undefined;
  /** The store's address; undefined if nothing is recorded. */
  readonly store: string | undefined;
  readonly env: string;
  readonly debug: boolean;
  /** Whether debug output is on without records. */
  readonly isOff: boolean;
}

/** Prints where the application is served, and notifies `lookback dev`. */
export async function announceStart(app: App, origin: string): Promise<void> {
  const start = startOf(app, origin);
  const runner = Reflect.get(globalThis, Symbol.for('lookback.dev')) as DevRunner | undefined; // set by `lookback dev`
  const readyMs = performance.now();
  if (!process.stdout.isTTY) process.stdout.write(renderPlain(start));
  else {
    const count = start.store === undefined || runner?.isRestart ? undefined : await countRecords(app);
    const block = renderBlock(start, { runner, readyMs, count });
    process.stdout.write(process.stdout.hasColors() ? block : stripVTControlCharacters(block));
  }
  runner?.serving(start.profiler);
}

function startOf({ configuration, profiler }: App, origin: string): Start {
  const { basePath, env, debug } = configuration;
  const url = `${origin}${basePath}`;
  const facts = { url, env, debug, isOff: debug && profiler === undefined };
  // If SQLite is missing, the log has already said so.
  if (profiler === undefined || profiler.isOff) return { ...facts, profiler: undefined, store: undefined };
  return { ...facts, profiler: debug ? `${url}/_profiler/` : undefined, store: profiler.state().store };
}

/** Returns the number of records in the store; undefined if it is unknown. */
async function countRecords({ profiler }: App): Promise<number | undefined> {
  const totals = await profiler?.totals({ isCountOnly: true }).catch(() => undefined);
  return totals?.complete === true ? (totals.groups[0]?.count ?? 0) : undefined;
}

const offText = 'off, so nothing is recorded (PROFILER_STORE=off)';

/** Renders the start for a pipe or a file. */
function renderPlain({ url, env, debug, isOff, profiler, store }: Start): string {
  const lines = [`lookback serves at ${url} (${env}${debug ? ', debug' : ''})`];
  if (isOff) lines.push(`profiler  ${offText}`);
  if (profiler !== undefined) lines.push(`profiler  ${profiler}`);
  if (store !== undefined) lines.push(`store     ${store}`);
  return `${lines.join('\n')}\n`;
}

/** Renders the start for a terminal. */
function renderBlock(
  { url, env, debug, isOff, profiler, store }: Start,
  {
    runner,
    readyMs,
    count,
  }: {
    readonly runner: DevRunner | undefined;
    readonly readyMs: number;
    readonly count: number | undefined;
  },
): string {
  const mode = env === 'dev' && debug ? '' : `${env}${debug ? ', debug' : ''} · `;
  const name = `${bold('lookback')}${runner === undefined ? '' : ` ${runner.version}`}`;
  const head = `${name}  ${dim(`${mode}ready in ${Math.round(readyMs)} ms`)}`;
  if (runner?.isRestart === true) return `${head}  ${bold(url)}\n`;
  const records = count === undefined ? '' : say(' · {n} record| · {n} records', { n: count });
  const lines = [
    `site      ${bold(url)}`,
    ...(isOff ? [`profiler  ${offText}`] : []),
    ...(profiler === undefined ? [] : [`profiler  ${profiler}`]),
    ...(store === undefined ? [] : [`store     ${placeOf(store)}${records}`]),
    ...(runner === undefined ? [] : [dim(hintOf(runner, profiler))]),
  ];
  return `${[head, '', ...lines.map((line) => `  ${line}`), ''].join('\n')}\n`;
}

function placeOf(store: string): string {
  return store === 'memory:' ? 'memory of this process' : store.replace(/^sqlite:/, '');
}

function hintOf(runner: DevRunner, profiler: string | undefined): string {
  const keys = ['r restart', ...(profiler === undefined ? [] : ['o open the last record']), 'q quit'];
  return [runner.watching, ...(runner.hasKeys() ? keys : [])].join(' · ');
}

const bold = (text: string): string => `\u001b[1m${text}\u001b[22m`;
const dim = (text: string): string => `\u001b[2m${text}\u001b[22m`;

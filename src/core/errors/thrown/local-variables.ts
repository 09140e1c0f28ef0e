import type * as inspectorModule from 'node:inspector';
import { createRequire } from 'node:module';
import { safely } from '#core/coded-error';
import { asOwnTime } from '#core/scope';
import { createRedactor, dump, type Snapshot, type Redactor } from '#core/dump';
import type { ReportedFrame } from '../report/error-report.js';
import { type CodePosition, isApplicationFile, originalLocation } from '../source/capture-call-sites.js';
import { ownSourceFolders, pathOfFile } from '../source/parse-stack.js';
import type { SourceLoader } from '../source/create-source-loader.js';
import { isError } from './read-thrown.js';
import { noteThrow } from './seen-throws.js';

/** One call's variables at the moment of a throw. Line and column count from 1, in the code as executed. */
interface CallVariables extends CodePosition {
  readonly name: string;
  readonly variables: Snapshot;
}

const maxCalls = 5;
const maxVariables = 30;
/**
 * V8 alone takes 1 to 10 ms for a pause, depending on the stack depth. After this many throws, inspection is suspended
 * for a while.
 */
const maxThrowsPerSecond = 10;
/** Duration of that suspension in milliseconds: at first, and at most if each period brings as many throws again. */
const restMs = { first: 1000, most: 60_000 };
/** After this many throws, a function is skipped for a minute. */
const maxThrowsOfFunction = 5;
const passOverMs = 60_000;
/** A longer function is never skipped, because that would also skip the functions inside it. */
const maxLinesPassedOver = 200;
/**
 * Before Node 24, an error that native code catches and throws again is lost if V8 asks the inspector about that
 * second throw and nothing catches it; Node then aborts. `node:vm` does so with every error of a script, and the
 * formatting of a stack with every error of a getter or of `Error.prepareStackTrace`.
 */
const nodeVersion = Number.parseInt(process.versions.node);
const losesRethrown = nodeVersion < 24;
/**
 * The throws at which V8 pauses. On Node 20, this leaves out only errors that nothing catches. On Node 22 it would leave
 * out most of those thrown by asynchronous functions, and the formatting of a stack aborts nothing there.
 */
const pausesAt = nodeVersion < 22 ? 'caught' : 'all';
const loadedModules = createRequire(import.meta.url).cache;
const nowhere = { name: '', file: '', line: 0, column: 0 };
const limits = { depth: 4, entries: 20, text: 300, bytes: 6_000, milliseconds: 3 };
const shownScopes: ReadonlySet<string> = new Set(['local', 'block', 'catch']);
/**
 * Property of `globalThis` through which the inspected program passes a scope; it exists only while a throw is
 * inspected.
 */
const receiver = 'lookback:receive';
const handOver = `function (error, call) { globalThis[${JSON.stringify(receiver)}](this, error, call); }`;

/** Variables by thrown error; if it is thrown again, the variables of the first throw stay. */
const variablesOf = new WeakMap<object, readonly CallVariables[]>();
/** This process's watch: V8 has only one setting per process. */
let watch: ThrowWatch | undefined;

interface WatchOptions {
  redactor?: Redactor;
  /** Folders whose code counts as library code. Default: this package's own folders. */
  libraryFolders?: readonly string[];
}

/**
 * Takes snapshots of the local variables at each throw in the application's code, for error reports. It costs 1 to 10
 * ms for each of a function's first throws, nothing for further throws within a minute, and 0.5 µs for each `await`:
 * for development only. Since Node 22, further throws cost as much if another function of the application stands between
 * throw and catch; the limit per second applies to them too. Does nothing if a debugger can attach (`--inspect`), whose
 * pauses it would disturb, or if Node's inspector is missing. Returns a function that stops it.
 */
export function watchLocalVariables({
  redactor = createRedactor(),
  libraryFolders = ownSourceFolders,
}: WatchOptions = {}): () => void {
  const isNode = process.versions['bun'] === undefined && process.versions['deno'] === undefined;
  const inspector = isNode ? findInspector() : undefined;
  if (inspector === undefined || inspector.url() !== undefined) return () => undefined;
  watch ??= new ThrowWatch(inspector, { redactor, libraryFolders });
  const watched = watch;
  watched.users++;
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    if (--watched.users === 0) watched.stop();
  };
}

type Inspector = typeof inspectorModule;

function findInspector(): Inspector | undefined {
  return safely(() => process.getBuiltinModule('node:inspector'), undefined); // Node may be built without it
}

/**
 * An inspector session in the same thread: pauses end when the listener returns, and requests are answered
 * synchronously.
 */
class ThrowWatch {
  users = 0;
  readonly #inspector: Inspector;
  readonly #session: inspectorModule.Session;
  readonly #options: Required<WatchOptions>;
  /** The application's files by script id. */
  readonly #files = new Map<string, string>();
  /** URLs of Node's own scripts by id. */
  readonly #nodeScripts = new Map<string, string>();
  #throws = 0;
  #rest: NodeJS.Timeout | undefined;
  #restMs = restMs.first;
  /** Number of throws by function: script id and start position. */
  readonly #thrownIn = new Map<string, number>();
  readonly #passedOver = new PassedOver();
  /** The named skipped functions, with their position in the code as executed. */
  #functionsPassedOver: (CodePosition & { readonly name: string })[] = [];
  #resume: NodeJS.Timeout | undefined;
  /** Set while V8 does not pause until the end of this turn. */
  #rethrow: NodeJS.Immediate | undefined;
  /** Whether V8 no longer pauses at all, because the program runs scripts in `node:vm`. */
  #isOff = false;
  /** Whether V8 is listing the scripts that it had parsed before, without saying which code did so. */
  #isListing = true;

  constructor(inspector: Inspector, options: Required<WatchOptions>) {
    this.#inspector = inspector;
    this.#options = options;
    this.#session = new inspector.Session();
    this.#session.connect();
    // Called from within the paused program, which an error would terminate.
    this.#session.on('Debugger.paused', ({ params }) =>
      asOwnTime(() => safely(() => this.#look(params), undefined)),
    );
    if (losesRethrown) this.#watchScripts();
    this.#session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => {
      if (url.startsWith('node:')) this.#nodeScripts.set(scriptId, url);
      else if (isApplicationFile(url, options.libraryFolders)) this.#files.set(scriptId, url);
    });
    this.#session.post('Debugger.enable');
    this.#isListing = false;
    const folders = options.libraryFolders.map((folder) =>
      folder.replace(/[\\/]$/, '').replace(/\W/g, '\\$&'),
    );
    // A throw whose innermost call is in these files does not pause, unless it comes from native code (`fs`).
    const patterns = ['^node:', '[\\\\/]node_modules[\\\\/]', ...folders];
    this.#session.post('Debugger.setBlackboxPatterns', { patterns });
    this.#pauseOnThrows();
  }

  /** Stops pausing before a script that may run in `node:vm` runs for the first time, and before its syntax error. */
  #watchScripts(): void {
    this.#session.on('Debugger.scriptFailedToParse', ({ params: { stackTrace } }) => {
      // Also emitted for `JSON.parse`, whose errors lose nothing.
      if (stackTrace?.callFrames[0]?.url.startsWith('node:') === true) this.#passOverRethrow();
    });
    this.#session.on('Debugger.scriptParsed', ({ params: { url, isModule, stackTrace } }) => {
      // Empty: by `eval`.
      const isOther = url === '' || /^(?:node|wasm):/.test(url) || isModule === true;
      const mayBeFromVm = this.#isListing
        ? !isOther && loadedModules[pathOfFile(url)] === undefined
        : stackTrace?.callFrames[0]?.url === 'node:vm';
      if (!mayBeFromVm) return;
      this.#isOff = true;
      this.#pauseOn('none');
    });
  }

  urlOf(scriptId: string): string {
    return this.#files.get(scriptId) ?? '';
  }

  stop(): void {
    clearTimeout(this.#rest);
    clearTimeout(this.#resume);
    clearImmediate(this.#rethrow);
    this.#session.disconnect();
    if (watch === this) watch = undefined;
  }

  #pauseOn(state: 'all' | 'caught' | 'none'): void {
    this.#session.post('Debugger.setPauseOnExceptions', { state });
  }

  #pauseOnThrows(): void {
    const isResting = this.#throws >= maxThrowsPerSecond;
    if (!this.#isOff && !isResting && this.#rethrow === undefined) this.#pauseOn(pausesAt);
  }

  #look({ reason, data, callFrames }: inspectorModule.Debugger.PausedEventDataType): void {
    if (this.#inspector.url() !== undefined) return this.stop(); // a debugger may have attached since
    if (reason !== 'exception' && reason !== 'promiseRejection') return;
    this.#throws++;
    this.#rest ??= setTimeout(() => this.#wake(), this.#restMs).unref();
    if (this.#throws >= maxThrowsPerSecond) this.#pauseOn('none');
    const isRethrown = callFrames.some((call) => this.#isRethrower(call));
    if (isRethrown) this.#passOverRethrow();
    // V8 must pause here each time, so that it does not pause at the second throw.
    const isFrequent = !isRethrown && this.#countIn(callFrames) > maxThrowsOfFunction;
    const errorId: unknown = Reflect.get(data ?? {}, 'objectId');
    // As V8 predicts from the calls so far. Errors caught by a library do not concern the application.
    const isCaught = Reflect.get(data ?? {}, 'uncaught') === false && this.#isOwn(callFrames);
    if (typeof errorId === 'string' && !isFrequent) this.#take(errorId, callFrames, { isCaught });
    // Objects referenced by a pause are kept until released, and only a debugger's `resume` releases them
    // automatically.
    this.#session.post('Runtime.releaseObjectGroup', { objectGroup: 'backtrace' });
  }

  /**
   * Whether native code below this call catches the error and throws it again. Before Node 24, V8 loses an uncaught
   * error, and Node then aborts, if V8 looks at such a throw in order to pause.
   */
  #isRethrower({ location, functionName }: inspectorModule.Debugger.CallFrame): boolean {
    const url = this.#nodeScripts.get(location.scriptId);
    return url === 'node:vm' || (url !== undefined && functionName === 'prepareStackTraceCallback');
  }

  #passOverRethrow(): void {
    if (this.#rethrow !== undefined) return;
    this.#pauseOn('none');
    this.#rethrow = setImmediate(() => {
      this.#rethrow = undefined;
      this.#pauseOnThrows();
    }).unref();
  }

  /** Whether the application's code threw, itself or by calling Node or the engine. */
  #isOwn(callFrames: readonly inspectorModule.Debugger.CallFrame[]): boolean {
    const call = callFrames.find(({ location }) => !this.#nodeScripts.has(location.scriptId));
    return call !== undefined && this.#files.has(call.location.scriptId);
  }

  #wake(): void {
    this.#rest = undefined;
    const wereMany = this.#throws >= maxThrowsPerSecond;
    this.#restMs = wereMany ? Math.min(2 * this.#restMs, restMs.most) : restMs.first;
    this.#throws = 0;
    if (wereMany) this.#pauseOnThrows();
  }

  /** Counts a throw of the application's innermost function, and skips that function from now on if it threw often. */
  #countIn(callFrames: readonly inspectorModule.Debugger.CallFrame[]): number {
    const call = callFrames.find(({ location }) => this.#files.has(location.scriptId));
    const start = call?.functionLocation;
    if (call === undefined || start === undefined) return 1;
    const key = `${start.scriptId}:${start.lineNumber}:${start.columnNumber ?? 0}`;
    const count = (this.#thrownIn.get(key) ?? 0) + 1;
    this.#thrownIn.set(key, count);
    this.#resume ??= setTimeout(() => this.#lookAgain(), passOverMs).unref();
    const end = call.scopeChain.find(({ type }) => type === 'local')?.endLocation;
    if (count < maxThrowsOfFunction || end === undefined) return count;
    if (end.lineNumber - start.lineNumber > maxLinesPassedOver) return count;
    const [line, column] = [start.lineNumber + 1, (start.columnNumber ?? 0) + 1];
    const file = pathOfFile(this.#files.get(start.scriptId) ?? '');
    if (call.functionName !== '')
      this.#functionsPassedOver.push({ name: lastName(call.functionName), file, line, column });
    const positions = this.#passedOver.add(start, end);
    this.#session.post('Debugger.setBlackboxedRanges', { scriptId: start.scriptId, positions });
    return count;
  }

  #lookAgain(): void {
    this.#resume = undefined;
    this.#thrownIn.clear();
    this.#functionsPassedOver = [];
    for (const scriptId of this.#passedOver.clear())
      this.#session.post('Debugger.setBlackboxedRanges', { scriptId, positions: [] });
  }

  /** Why an error's innermost call in the application has no variables; undefined if that is not known. */
  whyMissing(call: ReportedFrame, sources: SourceLoader): string | undefined {
    if (this.#isOff)
      return 'Local variables are missing: before Node 24, they are not recorded once a program has loaded what may be a script of node:vm.';
    return this.#passesOver(call, sources)
      ? 'Local variables are missing: this function threw several times within the last minute.'
      : undefined;
  }

  /** Whether throws from the frame's function are currently skipped. */
  #passesOver({ path, function: name }: ReportedFrame, sources: SourceLoader): boolean {
    return this.#functionsPassedOver.some(
      (one) =>
        one.name === lastName(name) &&
        (sources.findOriginal({ ...one, path: one.file }) ?? { path: one.file }).path === path,
    );
  }

  #take(
    errorId: string,
    callFrames: readonly inspectorModule.Debugger.CallFrame[],
    { isCaught }: { readonly isCaught: boolean },
  ): void {
    const calls = callFrames.filter(({ location }) => this.#files.has(location.scriptId)).slice(0, maxCalls);
    const scopes = calls.map((): Map<string, unknown> => new Map());
    let thrown: object | undefined;
    const receive = (scope: object, error: object, call: number): void => {
      if (variablesOf.has(error)) return;
      thrown = error;
      const variables = scopes[call];
      for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(scope))) {
        if (variables === undefined || variables.size === maxVariables || variables.has(name)) continue;
        // Function code is shown above. A variable without a value is undefined.
        if (value !== undefined && typeof value !== 'function') variables.set(name, value);
      }
    };
    Object.defineProperty(globalThis, receiver, { value: receive, configurable: true });
    for (const [call, { scopeChain }] of calls.entries())
      for (const { type, object } of scopeChain)
        if (shownScopes.has(type) && object.objectId !== undefined)
          this.#session.post('Runtime.callFunctionOn', {
            objectId: object.objectId,
            functionDeclaration: handOver,
            arguments: [{ objectId: errorId }, { value: call }],
            silent: true,
          });
    Reflect.deleteProperty(globalThis, receiver);
    if (thrown === undefined) return;
    const taken = calls.map((call, at) => this.#snapshot(call, scopes[at]));
    variablesOf.set(thrown, taken);
    const [{ name, file, line, column } = nowhere] = taken;
    if (isCaught && isError(thrown))
      noteThrow({ error: thrown, at: performance.now(), name, file, line, column });
  }

  #snapshot(
    { functionName, location }: inspectorModule.Debugger.CallFrame,
    values = new Map<string, unknown>(),
  ): CallVariables {
    const { scriptId, lineNumber, columnNumber = 0 } = location;
    const file = this.#files.get(scriptId) ?? '';
    const copy: object = Object.assign(Object.create(null), Object.fromEntries(values));
    const taken = dump(copy, { ...limits, redactor: this.#options.redactor });
    const variables = { ...taken, text: 'Object' };
    return { name: functionName, file, line: lineNumber + 1, column: columnNumber + 1, variables };
  }
}

/**
 * Returns the URL of one of the application's scripts by V8's id; empty for any other script, undefined if local
 * variables are not watched. V8 takes milliseconds to list all scripts to another session.
 */
export function findApplicationScript(scriptId: string): string | undefined {
  return watch?.urlOf(scriptId);
}

/** A function's name without its class name. */
function lastName(name: string): string {
  return name.split(/[. ]/).at(-1) ?? '';
}

type Position = inspectorModule.Debugger.ScriptPosition;

/** The functions, by script, at whose throws V8 does not pause. */
class PassedOver {
  /** Ranges by script id, in order; they do not overlap. */
  readonly #ranges = new Map<string, (readonly [start: Position, end: Position])[]>();

  /** Adds a function; returns the positions of all functions in its script in the protocol's format. */
  add(start: inspectorModule.Debugger.Location, end: inspectorModule.Debugger.Location): Position[] {
    const range = [positionOf(start), positionOf(end)] as const;
    const others = (this.#ranges.get(start.scriptId) ?? []).filter(
      ([from, to]) => isBefore(to, range[0]) || isBefore(range[1], from),
    );
    const ranges = [...others, range].sort(([a], [b]) => (isBefore(a, b) ? -1 : 1));
    this.#ranges.set(start.scriptId, ranges);
    return boundariesOf(ranges);
  }

  /** Clears all; returns their script ids. */
  clear(): string[] {
    const scripts = [...this.#ranges.keys()];
    this.#ranges.clear();
    return scripts;
  }
}

/**
 * Returns the positions at which V8 begins and ends skipping. It skips a function that begins after the first of them,
 * and refuses equal positions, so neighbours share a range.
 */
function boundariesOf(ranges: readonly (readonly [start: Position, end: Position])[]): Position[] {
  const positions: Position[] = [];
  for (const [start, to] of ranges) {
    const from = positionBefore(start);
    const last = positions.at(-1);
    if (last === undefined || isBefore(last, from)) positions.push(from, to);
    else positions[positions.length - 1] = to;
  }
  return positions;
}

function positionBefore({ lineNumber, columnNumber }: Position): Position {
  if (columnNumber > 0) return { lineNumber, columnNumber: columnNumber - 1 };
  return lineNumber === 0 ? { lineNumber, columnNumber } : { lineNumber: lineNumber - 1, columnNumber: 1e9 };
}

function positionOf({ lineNumber, columnNumber = 0 }: inspectorModule.Debugger.Location): Position {
  return { lineNumber, columnNumber };
}

function isBefore(a: Position, b: Position): boolean {
  return a.lineNumber < b.lineNumber || (a.lineNumber === b.lineNumber && a.columnNumber < b.columnNumber);
}

/** Adds the variables captured at the throw to a thrown value's frames. */
export function withLocals(
  frames: readonly ReportedFrame[],
  thrown: unknown,
  sources: SourceLoader,
): readonly ReportedFrame[] {
  const calls = typeof thrown === 'object' && thrown !== null ? variablesOf.get(thrown) : undefined;
  if (calls === undefined) return noteOmission(frames, sources);
  const left = new Set(frames);
  const locals = new Map<ReportedFrame, Snapshot>();
  for (const call of calls) {
    if (call.variables.entries === undefined || call.variables.entries.length === 0) continue;
    const path = pathOfFile(call.file);
    const location = {
      path,
      ...(originalLocation(call.file, call) ?? sources.findOriginal({ ...call, path }) ?? call),
    };
    const same = [...left].filter((frame) => frame.path === location.path);
    // The stack names the place where the error was created, which may differ from the line of the `throw`.
    const frame =
      same.find(({ line }) => line === location.line) ??
      same.find((one) => call.name !== '' && one.function.split(/[. ]/).at(-1) === call.name);
    if (frame === undefined) continue;
    left.delete(frame);
    locals.set(frame, call.variables);
  }
  return frames.map((frame) => {
    const variables = locals.get(frame);
    return variables === undefined ? frame : { ...frame, locals: variables };
  });
}

/** Notes on the application's innermost call why its variables are missing, if the watch knows. */
function noteOmission(frames: readonly ReportedFrame[], sources: SourceLoader): readonly ReportedFrame[] {
  const own = frames.find(({ kind }) => kind === 'app');
  const note = own?.note === undefined && own !== undefined ? watch?.whyMissing(own, sources) : undefined;
  return note === undefined ? frames : frames.map((frame) => (frame === own ? { ...frame, note } : frame));
}

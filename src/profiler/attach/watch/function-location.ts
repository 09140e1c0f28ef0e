import type { Runtime } from 'node:inspector';
import { createSourceLoader, findApplicationScript, pathOfFile, type SourceLoader } from '#core/errors';
import { environmentOf } from '#profiler/setup';

interface Location {
  readonly file: string;
  readonly line: number;
}

const locations = new WeakMap<object, { readonly location: Location | undefined }>();
/** URLs of the scripts in which functions were looked up, by V8's script id. */
const scripts = new Map<string, string>();
let sources: SourceLoader | undefined; // created with the first location

/**
 * Returns where an application function is declared; undefined for functions of packages. Asks V8's inspector once per
 * function. Unless local variables are watched, it lists all scripts if the function is in a new one, which takes
 * milliseconds. Disabled in production.
 */
export function findFunctionLocation(handler: unknown): Location | undefined {
  if (typeof handler !== 'function' || environmentOf(process.env) === 'prod') return undefined;
  let known = locations.get(handler);
  if (known === undefined) locations.set(handler, (known = { location: lookUp(handler) }));
  return known.location;
}

function lookUp(handler: object): Location | undefined {
  try {
    const found = locate(handler);
    if (found === undefined || !found.url.startsWith('file:') || found.url.includes('/node_modules/'))
      return undefined;
    const location = { path: pathOfFile(found.url), line: found.line, column: found.column };
    const original = (sources ??= createSourceLoader()).findOriginal(location);
    return { file: original?.path ?? location.path, line: original?.line ?? location.line };
  } catch {
    return undefined; // there is no inspector
  }
}

/** The part of the inspector's answer that is used. */
interface FunctionLocation {
  readonly scriptId: string;
  readonly lineNumber: number;
  readonly columnNumber?: number;
}

const key = Symbol.for('lookback function');

function locate(handler: object): { url: string; line: number; column: number } | undefined {
  const { Session } = process.getBuiltinModule('node:inspector');
  const session = new Session();
  session.connect();
  try {
    Reflect.set(globalThis, key, handler);
    let location: FunctionLocation | undefined;
    const read = (objectId: string | undefined): void => {
      if (objectId === undefined) return;
      session.post(
        'Runtime.getProperties',
        { objectId, ownProperties: true },
        (_failed, { internalProperties = [] }) => {
          const valueOf = (wanted: string): Runtime.RemoteObject | undefined =>
            internalProperties.find(({ name }) => name === wanted)?.value;
          location = valueOf('[[FunctionLocation]]')?.value as FunctionLocation | undefined; // as V8 gives it
          // For a bound function, or a proxy.
          if (location === undefined)
            read((valueOf('[[TargetFunction]]') ?? valueOf('[[Target]]'))?.objectId);
        },
      );
    };
    const expression = `globalThis[Symbol.for('${key.description}')]`;
    session.post('Runtime.evaluate', { expression }, (_error, { result }) => read(result.objectId));
    if (location === undefined) return undefined;
    const { scriptId, lineNumber, columnNumber = 0 } = location;
    const watched = findApplicationScript(scriptId);
    if (watched !== undefined) return { url: watched, line: lineNumber + 1, column: columnNumber + 1 };
    if (!scripts.has(scriptId)) {
      session.on('Debugger.scriptParsed', ({ params }) => void scripts.set(params.scriptId, params.url));
      session.post('Debugger.enable');
      session.post('Debugger.disable');
    }
    return { url: scripts.get(scriptId) ?? '', line: lineNumber + 1, column: columnNumber + 1 };
  } finally {
    Reflect.deleteProperty(globalThis, key);
    session.disconnect();
  }
}

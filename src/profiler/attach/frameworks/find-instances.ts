import type { Runtime } from 'node:inspector';
import { safely } from '#core/coded-error';
import { environmentOf } from '#profiler/setup';

/** Properties of `globalThis` that exist only during the inspector query. */
const [subject, receiver] = ['lookback:prototype', 'lookback:instances'];
const handOver = `function () { globalThis[${JSON.stringify(receiver)}](this); }`;

/**
 * Returns all objects with a prototype, found by V8's inspector through a garbage collection. Takes tens of
 * milliseconds, and longer the larger the heap is, so call it once. Empty in production, and without an inspector.
 */
export function findInstances(prototype: object): readonly object[] {
  if (environmentOf(process.env) === 'prod') return [];
  return safely(() => askInspector(prototype), []);
}

function askInspector(prototype: object): readonly object[] {
  const { Session } = process.getBuiltinModule('node:inspector');
  const session = new Session();
  session.connect();
  let found: readonly object[] = [];
  const define = (name: string, value: unknown): boolean =>
    Reflect.defineProperty(globalThis, name, { value, configurable: true });
  try {
    define(subject, prototype);
    define(receiver, (all: readonly object[]) => void (found = all.slice(0, maxFound)));
    // A session in the same thread calls back synchronously.
    const expression = `globalThis[${JSON.stringify(subject)}]`;
    session.post('Runtime.evaluate', { expression }, (_, { result }: Runtime.EvaluateReturnType) => {
      const prototypeObjectId = result.objectId ?? '';
      session.post('Runtime.queryObjects', { prototypeObjectId }, (_none, answer) => {
        const { objectId = '' } = answer.objects;
        session.post('Runtime.callFunctionOn', { objectId, functionDeclaration: handOver, silent: true });
      });
    });
  } finally {
    session.disconnect();
    for (const name of [subject, receiver]) Reflect.deleteProperty(globalThis, name);
  }
  return found;
}

const maxFound = 1000;

import { isProxy } from 'node:util/types';
import { type Redactor, classNameOf, dump, type Snapshot } from '#core/dump';
import {
  isNamed,
  type CapturedContext,
  type CapturedNamed,
  type CapturedValue,
} from '../encoding/encoded-record.js';

/** Framework classes whose contents would only repeat the record. */
const opaqueClasses = new Set([
  'HttpRequest',
  'HttpResponse',
  'ControllerContext',
  'Scope',
  'Request',
  'Response',
]);
/** Class names of services, whose contents are not specific to the request. */
const servicePattern = /(?:EntityManager|Repository|Service|Logger)$/;
const limits = { depth: 4, entries: 30, text: 500, bytes: 8192, milliseconds: 2 };

/** Captures the current state of a value: primitives as they are, objects as snapshots. */
export function takeValue(value: unknown, redactor: Redactor): CapturedValue {
  switch (typeof value) {
    case 'string':
      return value.length > limits.text ? dump(value, { ...limits, redactor }) : value;
    case 'number':
      return numberValue(value);
    case 'boolean':
    case 'undefined':
      return value;
    case 'object':
      if (value === null) return null;
      if (!isProxy(value)) {
        const name = opaqueNameOf(value);
        if (name !== undefined) return { type: 'object', text: name, cut: 'depth' };
      }
      break;
    default:
  }
  return dump(value, { ...limits, redactor });
}

/** Returns a number that JSON can represent; NaN, infinities and −0 become snapshots. */
export function numberValue(value: number): CapturedValue {
  if (Object.is(value, -0)) return { type: 'number', text: '-0' };
  return Number.isFinite(value) ? value : { type: 'number', text: String(value) };
}

/** Caches `opaqueNameOf` by prototype, because most requests' arguments have the same classes. */
const opaqueNames = new WeakMap<object, string | null>();

/** Returns the class name of an object whose contents are not recorded (framework objects and services). */
function opaqueNameOf(value: object): string | undefined {
  const kind: unknown = Object.getPrototypeOf(value);
  // An own `constructor` field is data; it must not be cached as the class name for its prototype.
  if (typeof kind !== 'object' || kind === null || Object.hasOwn(value, 'constructor')) return undefined;
  let name = opaqueNames.get(kind);
  if (name === undefined) {
    const found = classNameOf(value);
    opaqueNames.set(kind, (name = opaqueClasses.has(found) || servicePattern.test(found) ? found : null));
  }
  return name ?? undefined;
}

const maxPlain = { entries: 20, text: 500 };

/**
 * Captures a plain object with few primitive values; undefined for other values. The writer redacts its
 * secrets. Runs no code of the object.
 */
export function takePlain(value: unknown): CapturedNamed[] | undefined {
  if (typeof value !== 'object' || value === null || isProxy(value)) return undefined;
  if (Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  const names = Object.keys(value);
  const hasMore = names.length > maxPlain.entries || Object.getOwnPropertySymbols(value).length > 0;
  if (names.length === 0 || hasMore) return undefined;
  const taken: CapturedNamed[] = [];
  for (const name of names) {
    const field = Object.getOwnPropertyDescriptor(value, name);
    const own: unknown = field?.value;
    if (field?.get !== undefined || field?.set !== undefined || !isPlainValue(own)) return undefined;
    taken.push({ name, value: own });
  }
  return taken;
}

function isPlainValue(value: unknown): value is string | number | boolean | null | undefined {
  if (typeof value === 'string') return value.length <= maxPlain.text;
  return value === undefined || value === null || typeof value === 'number' || typeof value === 'boolean';
}

/** Estimated JSON syntax and key characters per snapshot and per entry. */
const baseWeights = { snapshot: 44, entry: 52 } as const;

/** Estimates a context snapshot's JSON length, in characters. */
export function contextWeight(context: CapturedContext): number {
  if (!isNamed(context)) return snapshotWeight(context);
  let weight: number = baseWeights.snapshot;
  for (const { name, value } of context)
    weight +=
      baseWeights.entry + name.length + baseWeights.snapshot + (typeof value === 'string' ? value.length : 8);
  return weight;
}

/** Estimates a snapshot's JSON length, in characters. */
export function snapshotWeight({ text, entries }: Snapshot): number {
  let weight = baseWeights.snapshot + (text?.length ?? 0);
  if (entries === undefined) return weight;
  for (const { key, keySnapshot, value } of entries) {
    weight += baseWeights.entry + key.length + snapshotWeight(value);
    if (keySnapshot !== undefined) weight += snapshotWeight(keySnapshot);
  }
  return weight;
}

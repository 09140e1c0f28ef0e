import { isProxy } from 'node:util/types';
import type { Redactor } from './redaction/create-redactor.js';
import { dumpLeaf } from './dump-leaf.js';
import type { DumpLimits, Picture, PictureEntry } from './picture.js';
import { sqlParameters } from './sql-parameters.js';

/** What one node and its entry may take as JSON, what a branch may take more, and one character at most. */
const nodeBytes = 90;
const branchBytes = 70;
const characterBytes = 6;
const maxBranches = 16;
const maxKeyLength = 100;
const maxKeys = 2000;

/** A key as it is shown, and whether what stands under it is hidden. */
interface KeyVerdict {
  readonly shown: string;
  readonly secret: boolean;
}

const verdicts = new WeakMap<Redactor, Map<string, KeyVerdict>>();

/**
 * Pictures small plain values: objects without class and lists, of simple values, of which no bound could cut anything.
 * Most of what is logged is of this kind, and here it costs a tenth of the thorough walk, which pictures all else.
 */
export class PlainDump {
  readonly #limits: Required<DumpLimits>;
  readonly #redactor: Redactor;
  readonly #keys: Map<string, KeyVerdict>;
  /** Branches met: what is met again is pictured by its number, which is the thorough walk's business. */
  readonly #met: object[] = [];
  /** What there is still room for. */
  #bytes = 0;
  #nodes = 0;

  constructor(limits: Required<DumpLimits>, redactor: Redactor) {
    this.#limits = limits;
    this.#redactor = redactor;
    let keys = verdicts.get(redactor);
    if (keys === undefined) verdicts.set(redactor, (keys = new Map()));
    this.#keys = keys;
  }

  /** Undefined for what is not small and plain. */
  picture(value: unknown): Picture | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    this.#bytes = this.#limits.bytes;
    // So few that the clock would not be asked.
    this.#nodes = Math.min(this.#limits.nodes, 100);
    try {
      return this.#branch(value, 0);
    } catch {
      return undefined; // a module namespace whose bindings are not initialised yet, and the like
    } finally {
      while (this.#met.length > 0) this.#met.pop(); // cheaper than to set the length
    }
  }

  #branch(value: object, depth: number): Picture | undefined {
    if (depth >= this.#limits.depth || this.#met.length >= maxBranches || isProxy(value)) return undefined;
    if (this.#met.includes(value)) return undefined;
    this.#met.push(value);
    if (!this.#fits(nodeBytes + branchBytes)) return undefined;
    const prototype: unknown = Object.getPrototypeOf(value);
    if (Array.isArray(value)) return prototype === Array.prototype ? this.#list(value, depth) : undefined;
    // Dates and the like are leaves; instances of classes are not this one's business.
    if (prototype !== Object.prototype && prototype !== null) return this.#fitting(dumpLeaf(value));
    return this.#object(value, prototype === null ? 'null' : 'Object', depth);
  }

  #object(value: object, text: string, depth: number): Picture | undefined {
    const keys = Object.keys(value);
    if (keys.length === 0 || keys.length > Math.min(this.#limits.entries, this.#nodes)) return undefined;
    // Hidden properties and symbols are pictured too, elsewhere.
    if (Object.getOwnPropertyNames(value).length !== keys.length) return undefined;
    if (Object.getOwnPropertySymbols(value).length > 0) return undefined;
    const entries: PictureEntry[] = [];
    for (const key of keys) {
      const found = Object.getOwnPropertyDescriptor(value, key);
      // What a label or a statement says of the value beside it is known to the thorough walk.
      if (found === undefined || !('value' in found) || key === 'value' || sqlParameters.has(key))
        return undefined;
      const member = found.value as unknown; // any in the library's type
      const verdict = this.#verdict(key);
      if (verdict === undefined) return undefined;
      this.#bytes -= characterBytes * key.length;
      const picture = verdict.secret && isTelling(member) ? this.#hidden() : this.#member(member, depth);
      if (picture === undefined) return undefined;
      entries.push({ key: verdict.shown, kind: 'property', value: picture });
    }
    return { type: 'object', text, entries };
  }

  #list(list: readonly unknown[], depth: number): Picture | undefined {
    const { length } = list;
    if (length > Math.min(this.#limits.entries, this.#nodes)) return undefined;
    // Its places and its length, and nothing with a name beside them.
    if (Object.getOwnPropertyNames(list).length !== length + 1) return undefined;
    if (Object.getOwnPropertySymbols(list).length > 0) return undefined;
    const entries: PictureEntry[] = [];
    for (let place = 0; place < length; place++) {
      const found = Object.getOwnPropertyDescriptor(list, place);
      if (found === undefined || !('value' in found)) return undefined;
      const member = found.value as unknown; // any in the library's type
      // A name in front of its value, as raw headers have it.
      if (length % 2 === 0 && typeof member === 'string' && this.#redactor.isSecretName(member))
        return undefined;
      const picture = this.#member(member, depth);
      if (picture === undefined) return undefined;
      entries.push({ key: String(place), kind: 'index', value: picture });
    }
    return { type: 'array', text: 'Array', length, entries };
  }

  #member(value: unknown, depth: number): Picture | undefined {
    if (typeof value === 'object' && value !== null) return this.#branch(value, depth + 1);
    if (typeof value === 'function') return undefined;
    if (!this.#fits(nodeBytes)) return undefined;
    return this.#fitting(typeof value === 'string' ? this.#string(value) : dumpLeaf(value));
  }

  #hidden(): Picture | undefined {
    return this.#fits(nodeBytes) ? hidden : undefined;
  }

  /** Takes the place of one node more. */
  #fits(bytes: number): boolean {
    this.#nodes--;
    this.#bytes -= bytes;
    return this.#bytes >= 0 && this.#nodes >= 0;
  }

  #fitting(leaf: Picture | undefined): Picture | undefined {
    this.#bytes -= characterBytes * (leaf?.text?.length ?? 0);
    return this.#bytes < 0 ? undefined : leaf;
  }

  #string(value: string): Picture | undefined {
    if (value.length > this.#limits.text || value.length * characterBytes > this.#bytes) return undefined;
    return { type: 'string', text: this.#redactor.text(value) };
  }

  #verdict(key: string): KeyVerdict | undefined {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    if (key.length > maxKeyLength) return undefined;
    const verdict = { shown: this.#redactor.text(key), secret: this.#redactor.isSecretName(key) };
    // A key with a secret in it is not remembered.
    if (verdict.shown !== key) return verdict;
    if (this.#keys.size >= maxKeys) this.#keys.clear();
    this.#keys.set(key, verdict);
    return verdict;
  }
}

const hidden: Picture = { type: 'redacted' };

/** Flags and nothings under a secret name reveal no secret. */
function isTelling(member: unknown): boolean {
  return member !== null && member !== undefined && member !== '' && typeof member !== 'boolean';
}

import { createRedactor, type Redactor } from './redaction/create-redactor.js';
import {
  isPlainValue,
  isSecretLabel,
  labelledNames,
  labelNames,
  labelTextOf,
  privateKeyMembers,
} from './redaction/secret-names.js';
import { redactedSnapshot } from './redacted-snapshot.js';
import { secretVariablesBeside } from './redaction/redact-graphql.js';
import { dumpLeaf, openBranch, type Branch, type Member } from './members.js';
import { type Summary, summariseObject } from './summaries.js';
import type { DumpLimits, Snapshot, SnapshotEntry } from './snapshot.js';

/** Bounds of a dump, and the redactor that recognises secrets (by default with the built-in names). */
export interface DumpOptions extends DumpLimits {
  redactor?: Redactor;
}

const defaultLimits: Required<DumpLimits> = {
  depth: 8,
  entries: 100,
  text: 2000,
  bytes: 65_536,
  milliseconds: 10,
};
const defaultRedactor = createRedactor();
/** Estimated JSON bytes per node and per entry. */
const nodeBytes = 40;
const entryBytes = 40;
/** Additional bytes for a branch, whose name and size are shown even if there is no room for its entries. */
const branchBytes = 70;
const nameBytes = 20;
/** Maximum JSON bytes of one character. */
const maxCharacterBytes = 6;
/** Number of nodes that are dumped even beyond the time limit. */
const alwaysCaptured = 200;

/**
 * Takes a snapshot of any value as plain data: bounded, without secrets. Runs none of the value's code (getter, trap,
 * toJSON, toString, iterator) and never throws. Proceeds breadth-first, so that a bound omits deep levels rather than
 * the last members.
 */
export function dump(value: unknown, options: DumpOptions = {}): Snapshot {
  return createDump(options)(value);
}

/** Returns `dump` with prepared options, for callers that dump many values. */
export function createDump(options: DumpOptions = {}): (value: unknown) => Snapshot {
  const { redactor = defaultRedactor, ...limits } = options;
  const bounds = { ...defaultLimits, ...limits };
  return (value) => {
    try {
      return new Dump(bounds, redactor).snapshot(value);
    } catch {
      return { type: 'unreadable', text: 'This value could not be captured.' };
    }
  };
}

type Draft = { -readonly [Key in keyof Snapshot]: Snapshot[Key] };
interface Waiting {
  readonly value: object;
  readonly draft: Draft;
  readonly depth: number;
  /** Member names that are secret here: variables of an accompanying GraphQL document. */
  readonly secrets?: ReadonlySet<string> | undefined;
}

class Dump {
  readonly #limits: Required<DumpLimits>;
  readonly #redactor: Redactor;
  readonly #seen = new Map<object, Draft>();
  readonly #queue: Waiting[] = [];
  readonly #end: number;
  #bytes = 0;
  #nodes = 0;
  #ids = 0;

  constructor(limits: Required<DumpLimits>, redactor: Redactor) {
    this.#limits = limits;
    this.#redactor = redactor;
    this.#end = performance.now() + this.#limits.milliseconds;
  }

  snapshot(value: unknown): Snapshot {
    const root = this.#take(value, 0);
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#open(next);
    return root;
  }

  #take(value: unknown, depth: number, secrets?: ReadonlySet<string>): Draft {
    this.#nodes++;
    this.#bytes += nodeBytes;
    if (typeof value === 'string') return this.#string(value);
    const leaf = dumpLeaf(value);
    if (leaf !== undefined) {
      this.#bytes += jsonBytes(leaf.text ?? '');
      return leaf;
    }
    if (typeof value !== 'object' || value === null) return { type: 'unreadable' };
    const seen = this.#seen.get(value);
    if (seen !== undefined) {
      seen.id ??= ++this.#ids;
      return { type: 'reference', text: String(seen.id) };
    }
    const draft: Draft = { type: 'object' };
    this.#seen.set(value, draft);
    this.#queue.push({ value, draft, depth, secrets });
    this.#bytes += branchBytes;
    return draft;
  }

  #string(value: string): Draft {
    const { text: limit, bytes } = this.#limits;
    // Truncates first, to avoid searching a long text. The slack keeps a secret that crosses the limit whole,
    // so that it is recognised.
    const cut = value.length > limit;
    const clean = this.#redactor.text(cut ? value.slice(0, limit + 200) : value);
    const room = Math.max(40, bytes - this.#bytes);
    const text = withinBytes(cut ? clean.slice(0, limit) : clean, room);
    this.#bytes += jsonBytes(text);
    return text.length < clean.length || cut
      ? { type: 'string', text, length: value.length }
      : { type: 'string', text };
  }

  #open({ value, draft, depth, secrets }: Waiting): void {
    const { depth: deepest, entries, bytes } = this.#limits;
    const room = Math.min(entries, Math.floor((bytes - this.#bytes) / (nodeBytes + entryBytes)));
    const why = depth >= deepest ? 'depth' : room <= 0 ? 'size' : this.#isLate() ? 'time' : undefined;
    const branch = this.#look(value, why === undefined ? room : 0);
    draft.type = branch.type;
    draft.text = withinBytes(branch.text, Math.max(nameBytes, bytes - this.#bytes));
    this.#bytes += jsonBytes(draft.text);
    if (branch.length !== undefined) draft.length = branch.length;
    if (branch.more > 0) draft.more = branch.more;
    if (why !== undefined && branch.more > 0) draft.cut = why;
    else if (branch.isSummary !== true || branch.members.length > 0)
      draft.entries = this.#entries(branch, { depth, draft, secrets });
  }

  /** Small values are dumped completely even on a busy machine: the clock is read only after `alwaysCaptured` nodes. */
  #isLate(): boolean {
    return this.#nodes > alwaysCaptured && performance.now() > this.#end;
  }

  #look(value: object, limit: number): Branch {
    try {
      const summary = summariseObject(value, this.#redactor);
      return summary === undefined ? openBranch(value, limit) : branchOf(summary, limit);
    } catch {
      // For example, a module namespace whose bindings are not initialised yet.
      return { type: 'unreadable', text: '', members: [], more: 0 };
    }
  }

  #entries(branch: Branch, { depth, draft, secrets }: Omit<Waiting, 'value'>): SnapshotEntry[] {
    const secret = secretLocations(branch, this.#redactor);
    const variables = variablesOf(branch, this.#redactor);
    const list: SnapshotEntry[] = [];
    for (const [index, member] of branch.members.entries()) {
      if (this.#bytes >= this.#limits.bytes) {
        draft.more = (draft.more ?? 0) + branch.members.length - index;
        break;
      }
      const isSecret =
        secret.has(index) || (secrets?.has(member.key) === true && isWorthHiding(member.value));
      const below = member.key === 'variables' ? variables : undefined;
      list.push(this.#entry(member, depth + 1, { isSecret, secrets: below }));
    }
    return list;
  }

  #entry(
    member: Member,
    depth: number,
    { isSecret, secrets }: { readonly isSecret: boolean; readonly secrets?: ReadonlySet<string> | undefined },
  ): SnapshotEntry {
    const room = Math.max(40, Math.min(1200, this.#limits.bytes - this.#bytes));
    const key = withinBytes(this.#redactor.text(member.key.slice(0, 200)), room);
    this.#bytes += entryBytes + jsonBytes(key);
    if (member.mapKey !== undefined) this.#bytes += entryBytes;
    if (isSecret || member.accessor) this.#bytes += nodeBytes;
    return {
      key,
      kind: member.kind,
      ...(member.mapKey === undefined ? {} : { keySnapshot: this.#take(member.mapKey, depth) }),
      value: isSecret
        ? redactedSnapshot(member.value)
        : member.accessor
          ? { type: 'getter' }
          : this.#take(member.value, depth, secrets),
    };
  }
}

/**
 * Returns the indexes of members with secret values: members with a secret name; items that follow a secret name in a
 * list of alternating names and values (raw headers, `[name, value]`), or a secret option (`--password`); the `value`
 * of an object with a secret `name`; and a statement's parameters or command in the same object, as in database
 * errors.
 */
function secretLocations(branch: Branch, redactor: Redactor): Set<number> {
  const indexes = new Set<number>();
  const { members } = branch;
  const isSecret = (text: unknown): boolean =>
    typeof text === 'string' && redactor.isSecretName(text.slice(0, 300));
  const isLabelled = members.some(
    ({ key, value }) =>
      labelNames.has(key.toLowerCase()) &&
      isSecretLabel(key, labelTextOf(value) ?? '', (name) => redactor.isSecretName(name)),
  );
  const isKey = members.some(({ key, value }) => key === 'kty' && typeof value === 'string');
  const hasSql = holdsSql(members) || isCommand(members);
  for (const [index, member] of members.entries()) {
    if (!isWorthHiding(member.value)) continue;
    const named = member.kind !== 'index' && isSecret(member.key) && !isPlainValue(member.key, member.value);
    const before = member.kind === 'index' ? members[index - 1]?.value : undefined;
    const isOption = typeof before === 'string' && /^--?[A-Za-z]/.test(before);
    const paired = ((index % 2 === 1 && members.length % 2 === 0) || isOption) && isSecret(before);
    const labelled =
      (isLabelled && labelledNames.has(member.key.toLowerCase())) ||
      (isKey && privateKeyMembers.has(member.key));
    if (named || paired || labelled || (hasSql && sqlParameters.has(member.key))) indexes.add(index);
  }
  return indexes;
}

function isWorthHiding(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '' && typeof value !== 'boolean';
}

/** Returns the secret variables of a GraphQL request: an object with `variables`, and a document that names them. */
function variablesOf({ members }: Branch, redactor: Redactor): ReadonlySet<string> | undefined {
  if (!members.some(({ key, value }) => key === 'variables' && typeof value === 'object')) return undefined;
  return secretVariablesBeside(
    members.map(({ value }) => value),
    (name) => redactor.isSecretName(name),
  );
}

/** Names that database drivers and ORMs use for a statement's parameter list. */
const sqlParameters: ReadonlySet<string> = new Set('params parameters bindings values args'.split(' '));
const sqlNames: ReadonlySet<string> = new Set(['sql', 'query', 'statement', 'text', 'message']);

/** Returns whether this is a Redis command as ioredis attaches it to an error: its name and arguments. */
function isCommand(members: readonly Member[]): boolean {
  return members.length === 2 && members[0]?.key === 'name' && members[1]?.key === 'args';
}

function holdsSql(members: readonly Member[]): boolean {
  return members.some(
    ({ key, value }) =>
      sqlNames.has(key) &&
      typeof value === 'string' &&
      /\b(?:insert|update|delete|select|replace|merge|call|with)\s/i.test(value.slice(0, 2000)),
  );
}

function branchOf({ text, members }: Summary, limit: number): Branch {
  const kept = members.slice(0, limit);
  return { type: 'object', text, members: kept, more: members.length - kept.length, isSummary: true };
}

/** Printable ASCII that JSON does not escape: one byte per character, plus the quotes. */
const plainText = /^[ !#-[\]-~]*$/;

function jsonBytes(text: string): number {
  if (text.length === 0) return 0;
  return plainText.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text));
}

/** Halves the text until its JSON fits into `room` bytes. */
function withinBytes(text: string, room: number): string {
  if (text.length * maxCharacterBytes + 2 <= room) return text;
  let fitting = text;
  while (fitting.length > 0 && jsonBytes(fitting) > room)
    fitting = fitting.slice(0, Math.floor(fitting.length / 2));
  return fitting;
}

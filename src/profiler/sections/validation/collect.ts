import { isProxy } from 'node:util/types';
import {
  createDump,
  createRedactor,
  findData,
  redactedSnapshot,
  redactSecret,
  type Redactor,
} from '#core/dump';
import { createChannelCollector } from '../collect-messages.js';
import { type ChannelMessage, countOf, messagesOf, messageText } from '../message-reader.js';
import type { CollectedSection } from '../section.js';
import {
  type RecordedViolation,
  validationDefinition,
  type ValidationFacts,
  type ValidationSection,
} from './section.js';

const maxValidations = 50;
const maxMessageLength = 1000;
const limits = { depth: 6, entries: 60, text: 500, bytes: 16_384, milliseconds: 5 };
const valueLimits = { depth: 2, entries: 20, text: 500, bytes: 2048, milliseconds: 2 };

/**
 * Creates the `validation` collector of values accepted or rejected by route schemas, `readForm` and `validateValue`.
 */
export function createValidationCollector({
  redactor = createRedactor(),
}: { readonly redactor?: Redactor } = {}): CollectedSection {
  const snapshotAll = createDump({ ...limits, redactor });
  const snapshotOne = createDump({ ...valueLimits, redactor });
  const add = (facts: ValidationFacts, message: ChannelMessage, startedAt: number): void => {
    if (facts.validations.length >= maxValidations) {
      facts.more++;
      return;
    }
    const source = messageText(message['source'], 50);
    const values = withoutContents(message['values']);
    const violations = messagesOf(message['violations']).map((violation): RecordedViolation => {
      const keys = keysOf(violation['keys']);
      const given = valueAt(values, keys);
      const isSecret = keys.some((key) => redactor.isSecretName(key));
      // Kept under its own name, so that redaction recognises it.
      const shown = given && snapshotOne({ [keys.at(-1) ?? '']: given.value }).entries?.[0]?.value;
      return {
        path: messageText(violation['path']),
        message: withoutSecret(messageText(violation['message'], maxMessageLength), isSecret && given?.value),
        code: messageText(violation['code'], 100),
        value: isSecret && shown !== undefined ? redactedSnapshot(given?.value) : (shown ?? null),
      };
    });
    facts.validations.push({
      source,
      offsetMs: Math.max(0, performance.now() - startedAt),
      violations,
      more: Math.max(0, countOf(message['total']) - violations.length),
      values: violations.length === 0 || source === 'header' ? null : snapshotAll(values),
    });
  };
  return createChannelCollector<ValidationFacts>({
    definition: validationDefinition,
    begin: () => ({ validations: [], more: 0 }),
    channels: { 'lookback:validation': (facts, message, { startedAt }) => add(facts, message, startedAt) },
    section: (facts): ValidationSection | undefined => facts,
  });
}

const maxKeys = 20;

function keysOf(value: unknown): string[] {
  return Array.isArray(value) ? value.slice(0, maxKeys).map(String) : [];
}

/** Finds a value by its path without running foreign objects' code. */
function valueAt(values: unknown, keys: readonly string[]): { readonly value: unknown } | undefined {
  let value = values;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || isProxy(value) || !Object.hasOwn(value, key))
      return undefined;
    value = findData(value, key);
  }
  return value === undefined ? undefined : { value };
}

/** A message may quote the value it is about. */
function withoutSecret(message: string, value: unknown): string {
  const isQuoted = typeof value === 'string' && value !== '';
  return isQuoted ? message.replaceAll(value, () => redactSecret(value)) : message;
}

const maxDepth = 6;
const maxMembers = 200;

/** Returns a form with each file reduced to name, type and size, because uploaded contents are not recorded. */
function withoutContents(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || isProxy(value) || depth > maxDepth) return value;
  const bytes: unknown = findData(value, 'bytes');
  if (bytes instanceof Uint8Array && typeof findData(value, 'filename') === 'string')
    return { file: findData(value, 'filename'), type: findData(value, 'mediaType'), bytes: bytes.byteLength };
  if (Array.isArray(value))
    return value.length > maxMembers ? value : value.map((member) => withoutContents(member, depth + 1));
  // Parsed forms have no prototype; only they and lists can hold files.
  if (Object.getPrototypeOf(value) !== null) return value;
  const names = Object.keys(value);
  if (names.length > maxMembers) return value;
  return Object.fromEntries(names.map((name) => [name, withoutContents(findData(value, name), depth + 1)]));
}

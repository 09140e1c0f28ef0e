import { safely } from '#core/coded-error';
import { checkValue, text as textType } from '#core/options';
import { recordJsonSchema } from '../reports/record-json-schema.js';
import { type ProfileRecord, recordSchema } from '../../model/profile-record.js';

/** Maximum characters in one record, more than ten times as many as our own have. */
const maxLength = 16_000_000;
/** Maximum nesting depth. Our own records are far shallower; code that walks a record recurses once per level. */
const maxDepth = 500;

/**
 * Parses records: one record as JSON (as downloaded from its page), or one per line (as written by `lookback export`).
 * Returns a sentence that names the problem and the line if the text is invalid.
 */
export function readRecords(text: string): readonly ProfileRecord[] | string {
  checkValue('readRecords()', 'text', text, textType);
  const lines = text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [{ line, at: at + 1 }]));
  const [first] = lines;
  if (first === undefined) return 'it is empty';
  // A pretty-printed document's first line is not complete JSON.
  const isLines = lines.length > 1 && parse(first.line) !== undefined;
  const records: ProfileRecord[] = [];
  for (const { line, at } of isLines ? lines : [{ line: text, at: 0 }]) {
    const where = isLines ? `line ${at}` : 'it';
    if (line.length > maxLength)
      return `${where} has ${line.length} characters; a record has at most ${maxLength}`;
    const value = parse(line);
    if (value === undefined) return `${where} is not valid JSON`;
    const schema = typeof value === 'object' && value !== null && 'schema' in value ? value.schema : 0;
    if (typeof schema === 'number' && schema > recordSchema)
      return `${where} was written by a newer version (format ${schema}; this version reads up to ${recordSchema})`;
    const violation = isDeeper(value, maxDepth)
      ? `it is nested deeper than ${maxDepth} levels`
      : findViolation(value, keywords, 'it');
    if (violation !== undefined) return `${where} is not a record: ${violation}`;
    records.push(value as ProfileRecord); // checked
  }
  return records;
}

const parse = (text: string): unknown => safely<unknown, undefined>(() => JSON.parse(text), undefined);

/** Returns whether a value is nested deeper than `levels`. Iterative, because it protects recursive functions. */
function isDeeper(value: unknown, levels: number): boolean {
  let inside: unknown[] = [value];
  for (let depth = 0; inside.length > 0; depth++) {
    if (depth > levels) return true;
    inside = inside.flatMap((one): unknown[] =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
  }
  return false;
}

/** The JSON Schema keywords used by the record schema. */
interface Keywords {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Keywords>>;
  readonly anyOf?: readonly Keywords[];
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly prefixItems?: readonly Keywords[];
  readonly items?: Keywords | false;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly additionalProperties?: Keywords | false;
}

const keywords = recordJsonSchema as Keywords; // the schema uses only these

/** Returns the first schema violation. Accepts unknown fields, because newer versions may add some. */
function findViolation(value: unknown, schema: Keywords, path: string): string | undefined {
  const { $ref, anyOf, type = [], minimum = -Infinity, minItems = 0, required = [] } = schema;
  if ($ref !== undefined)
    return findViolation(value, keywords.$defs?.[$ref.replace('#/$defs/', '')] ?? {}, path);
  if (anyOf !== undefined) {
    const violations = anyOf.map((one) => findViolation(value, one, path));
    return violations.includes(undefined) ? undefined : violations[0];
  }
  const types = [type].flat();
  if (types.length > 0 && !types.some((one) => isOf(value, one)))
    return `${path} must be of type ${types.join(' or ')}`;
  const choice = 'const' in schema ? [schema.const] : schema.enum;
  if (choice !== undefined && !choice.includes(value)) return `${path} must be ${choice.join(' or ')}`;
  if (typeof value === 'number' && value < minimum) return `${path} must be at least ${minimum}`;
  if (typeof value === 'string' && !new RegExp(schema.pattern ?? '').test(value))
    return `${path} must match ${schema.pattern}`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) && value.length < minItems) return `${path} must have ${minItems} items`;
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${path} must have the field "${missing}"`;
  for (const [name, member] of Object.entries(value)) {
    const of = memberSchema(schema, name);
    const inner = path === 'it' ? name : `${path}.${name}`;
    const violation = typeof of === 'object' ? findViolation(member, of, inner) : undefined;
    if (violation !== undefined) return violation;
  }
  return undefined;
}

function memberSchema(schema: Keywords, name: string): Keywords | false | undefined {
  const { properties = {}, prefixItems = [], items, additionalProperties } = schema;
  if (schema.type === 'array') return prefixItems[Number(name)] ?? items;
  return Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
}

function isOf(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type && (type !== 'number' || Number.isFinite(value));
}

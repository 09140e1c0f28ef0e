import type { StandardSchema } from '#controller';
import type { JsonSchemaOf, SchemaDirection } from './describe-schema.js';
import { describeSchema } from './describe-schema.js';
import type { JsonSchema } from './open-api-document.js';
import { refersToRoot, rewriteReferences, referencedNames } from './schema-references.js';

export interface SchemaPlace {
  readonly direction: SchemaDirection;
  /** Name of the component where the schema refers to itself, and of the schema in problems: `order.body`. */
  readonly name: string;
}

/** The schemas of a document, those that have a name as shared components. */
export interface SchemaBook {
  readonly components: Readonly<Record<string, JsonSchema>>;
  /** The schema to be put into the document, with references to components; `{}` where it cannot be described. */
  add(schema: StandardSchema, place: SchemaPlace): Promise<JsonSchema>;
  /** What a schema or the component that it refers to says. */
  resolve(schema: JsonSchema): JsonSchema;
}

interface BookOptions {
  readonly shared: Readonly<Record<string, JsonSchema>>;
  readonly jsonSchemaOf: JsonSchemaOf | undefined;
  readonly onProblem: (problem: string) => void;
}

const prefix = '#/components/schemas/';

export function createSchemaBook({ shared, jsonSchemaOf, onProblem }: BookOptions): SchemaBook {
  const components: Record<string, JsonSchema> = { ...shared };
  /** Name of a component → what it was made of, its own references included. */
  const origins = new Map(Object.keys(shared).map((name) => [name, '']));

  const nameFor = (wanted: string, origin: string, direction: SchemaDirection): string => {
    const plain = wanted.replaceAll(/[^\w.-]/g, '_');
    const suffix = direction === 'input' ? 'Input' : 'Output';
    for (let count = 0; ; count++) {
      const name = [plain, `${plain}${suffix}`][count] ?? `${plain}${suffix}${count}`;
      const known = origins.get(name);
      if (known === undefined) origins.set(name, origin);
      if (known === undefined || known === origin) return name;
    }
  };

  const place = (raw: JsonSchema, { direction, name }: SchemaPlace): JsonSchema => {
    const { $schema: _dialect, $defs, definitions, ...root } = raw;
    const parts = { ...asRecord(definitions), ...asRecord($defs) };
    const isRecursive = refersToRoot(root) || Object.values(parts).some(refersToRoot);
    const rootName = isRecursive ? nameFor(name, JSON.stringify(raw), direction) : '';
    const names = new Map<string, string>();
    for (const part of Object.keys(parts)) {
      names.set(part, nameFor(part, originOf(part, parts) + rootName, direction));
    }
    const rewrite = (schema: JsonSchema): JsonSchema =>
      rewriteReferences(schema, { names, root: rootName, prefix });
    for (const [part, schema] of Object.entries(parts)) {
      components[names.get(part) ?? part] ??= rewrite(schema);
    }
    if (!isRecursive) return rewrite(root);
    components[rootName] ??= rewrite(root);
    return { $ref: prefix + rootName };
  };

  return {
    components,
    async add(schema, at) {
      try {
        const raw = await describeSchema(schema, at.direction, jsonSchemaOf);
        if (raw !== undefined) return place(raw, at);
        const { vendor } = schema['~standard'];
        onProblem(
          `${at.name}: schemas of ${vendor} have no JSON Schema here.` +
            (vendor === 'valibot' ? ' Install @valibot/to-json-schema.' : ' Give openApi a jsonSchemaOf.'),
        );
      } catch (error) {
        onProblem(`${at.name}: ${error instanceof Error ? error.message : 'its JSON Schema failed.'}`);
      }
      return {};
    },
    resolve(schema) {
      const { $ref } = schema;
      if (typeof $ref !== 'string' || !$ref.startsWith(prefix)) return schema;
      return components[$ref.slice(prefix.length)] ?? schema;
    },
  };
}

/** Two parts of one name are the same where they and all that they refer to are. */
function originOf(name: string, parts: Readonly<Record<string, JsonSchema>>): string {
  const reached = new Set([name]);
  for (const one of reached) for (const next of referencedNames(parts[one] ?? {})) reached.add(next);
  return JSON.stringify([...reached].map((one) => [one, parts[one]]));
}

function asRecord(value: unknown): Record<string, JsonSchema> {
  return typeof value === 'object' && value !== null ? (value as Record<string, JsonSchema>) : {}; // `$defs` of a converter
}

import { budgetParameter, type Parameter, type Tool, type ToolInput } from './tool.js';

const appParameter: Parameter = {
  type: 'string',
  maxLength: 200,
  description: 'See applications',
};

/** Returns a tool's parameters, including those common to all record tools. */
export function parametersOf({ parameters, isGlobal = false }: Tool): Readonly<Record<string, Parameter>> {
  return { ...parameters, ...(isGlobal ? {} : { app: appParameter }), budget: budgetParameter };
}

/**
 * Checks the input of a tool, and converts texts such as `"5"` to numbers. Returns one sentence for an error, which
 * names the allowed values.
 */
export function checkInput(tool: Tool, given: unknown): { readonly input: ToolInput } | string {
  const known = parametersOf(tool);
  const names = Object.keys(known);
  const entries: readonly (readonly [string, unknown])[] =
    typeof given === 'object' && given !== null ? Object.entries(given) : [];
  const input: Record<string, unknown> = {};
  for (const [name, value] of entries) {
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined;
    if (parameter === undefined)
      return `There is no parameter "${name.slice(0, 60)}". Parameters of ${tool.name}: ${names.join(', ')}.`;
    if (value === undefined || value === null) continue;
    const read = readValue(value, parameter);
    if (read === undefined) return `"${name}" must be ${describe(parameter)}.`;
    input[name] = read;
  }
  const missing = (tool.required ?? []).find((name) => input[name] === undefined);
  return missing === undefined ? { input } : `"${missing}" is missing: ${known[missing]?.description ?? ''}.`;
}

function readValue(value: unknown, parameter: Parameter): unknown {
  switch (parameter.type) {
    case 'string': {
      if (typeof value !== 'string' || value.length > (parameter.maxLength ?? 2000)) return undefined;
      return parameter.enum === undefined || parameter.enum.includes(value) ? value : undefined;
    }
    case 'integer': {
      const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
      const isIn = typeof number === 'number' && number >= parameter.minimum && number <= parameter.maximum;
      return isIn && Number.isInteger(number) ? number : undefined;
    }
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'array': {
      const list: readonly unknown[] = Array.isArray(value)
        ? value
        : typeof value === 'string'
          ? value.split(',')
          : [];
      const { enum: known } = parameter.items;
      const isKnown = list.every((one) => typeof one === 'string' && (known?.includes(one.trim()) ?? true));
      return isKnown && list.length > 0 && list.length <= 50
        ? list.map((one) => String(one).trim())
        : undefined;
    }
  }
}

function describe(parameter: Parameter): string {
  switch (parameter.type) {
    case 'string':
      return parameter.enum === undefined
        ? `a text of at most ${parameter.maxLength ?? 2000} characters`
        : `one of ${parameter.enum.join(', ')}`;
    case 'integer':
      return `a whole number from ${parameter.minimum} to ${parameter.maximum}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list of ${parameter.items.enum?.join(', ') ?? 'texts'}`;
  }
}

import { decodePercent, redactSecret } from './redacted-mark.js';

type IsSecretName = (name: string) => boolean;

/** The beginning of a GraphQL document. */
export const graphqlStart: RegExp = /^\s{0,100}(?:query|mutation|subscription|fragment|\{)/;
export const graphqlVariable: RegExp = /\$[A-Za-z_]\w{0,60}(?=[\s,]{0,9}[)}\]A-Za-z_$])/y;
const graphqlArgument = /([A-Za-z_]\w{0,60})\s{0,3}:\s{0,3}\$([A-Za-z_]\w{0,60})/g;
const graphqlDefault =
  /(\$([A-Za-z_]\w{0,60})\s{0,3}:\s{0,3}[\w[\]!]{1,80}\s{0,3}=\s{0,3})(?:"""([^"]{0,2000})"""|"([^"\n]{0,2000})")/g;

/** Returns the variables that a GraphQL document passes to arguments with secret names: `login(password: $p)`. */
export function secretVariables(text: string, isSecretName: IsSecretName): ReadonlySet<string> {
  const variables = new Set<string>();
  for (const [, name = '', variable = ''] of text.matchAll(graphqlArgument))
    if (isSecretName(name)) variables.add(variable);
  return variables;
}

/**
 * Returns the variables that accompanying GraphQL documents pass to arguments with secret names; `others` are the
 * members of an object with `variables`.
 */
export function secretVariablesBeside(
  others: Iterable<unknown>,
  isSecretName: IsSecretName,
): ReadonlySet<string> {
  const variables = new Set<string>();
  for (const text of others)
    if (typeof text === 'string' && text.includes('$') && graphqlStart.test(text))
      for (const name of secretVariables(text.slice(0, maxDocument), isSecretName)) variables.add(name);
  return variables;
}

/** Maximum length of a GraphQL document that is searched for where its variables are used. */
const maxDocument = 100_000;

/** Hides the default values of secret variables. */
export function redactDefaults(text: string, isSecretName: IsSecretName): string {
  if (!graphqlStart.test(text)) return text;
  const variables = secretVariables(text, isSecretName);
  return text.replace(graphqlDefault, (whole, head: string, name: string, block?: string, plain?: string) =>
    variables.has(name) || isSecretName(name) ? `${head}"${redactSecret(block ?? plain ?? '')}"` : whole,
  );
}

const documentParameter = /(?:^|[?&\s])query=([^&\s"'<>#]{1,20000})/;
const variablesParameter = /((?:^|[?&\s])variables=)([^&\s"'<>#]{1,20000})/g;

/**
 * Hides the variables in a query string or form if its document passes one of them to an argument with a secret name.
 */
export function redactVariables(text: string, isSecretName: IsSecretName): string {
  const [, document] = documentParameter.exec(text) ?? [];
  if (document === undefined) return text;
  const secret = secretVariables(decodePercent(document.replaceAll('+', ' ')), isSecretName);
  if (secret.size === 0) return text;
  return text.replace(variablesParameter, (whole, head: string, value: string) => {
    const names = decodePercent(value).matchAll(/"([^"\\]{1,100})"\s{0,9}:/g);
    return [...names].some(([, name = '']) => secret.has(name)) ? head + redactSecret(value) : whole;
  });
}

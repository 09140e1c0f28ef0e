import { type HttpRequest, isJsonType } from '#http';

const formTypes: ReadonlySet<string> = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);

/** Whether the body claims to be a form. */
export function hasForm(request: HttpRequest): boolean {
  return formTypes.has(essenceOf(request));
}

/** Whether the body claims to be JSON: what no form of a stranger's page can send. */
export function hasJson(request: HttpRequest): boolean {
  try {
    return request.mediaType !== undefined && isJsonType(request.mediaType);
  } catch {
    return false;
  }
}

/** A text field of a form body; undefined for other bodies. */
export async function readBodyField(request: HttpRequest, name: string): Promise<string | undefined> {
  return hasForm(request) ? (await request.form()).get(name) : undefined;
}

function essenceOf(request: HttpRequest): string {
  try {
    return request.mediaType?.essence ?? '';
  } catch {
    return ''; // a type that cannot be read is none that we know; the reader of the body will refuse it
  }
}

import { createRedactor as createMarking, type Redactor, type RedactorOptions } from '#core/dump';

/** Removes the digits that mark equal secrets, because they are random in each process: `[redacted-a3f1]` → `[redacted]`. */
export function withoutMarks(text: string): string {
  return text.replaceAll(/\[redacted-[\da-f]{4}\]/g, '[redacted]');
}

/** Creates a redactor whose output does not depend on the process's key. */
export function createRedactor(options?: RedactorOptions): Redactor {
  const redactor = createMarking(options);
  return {
    isSecretName: redactor.isSecretName,
    value: (name, value) => withoutMarks(redactor.value(name, value)),
    text: (text, rule) => withoutMarks(redactor.text(text, rule)),
    url: (url) => withoutMarks(redactor.url(url)),
    query: (query) => withoutMarks(redactor.query(query)),
    json: (json) => withoutMarks(redactor.json(json)),
    headers(flat) {
      const clean = redactor.headers(flat);
      return clean === flat ? flat : clean.map(withoutMarks);
    },
  };
}

import { IntlMessageFormat } from 'intl-messageformat';

/** The greeting as an editor wrote it, with a missing brace that only the parsing library notices. */
const greeting = 'Hello {name, plural, one {# reader} other {# readers}';

async function loadGreeting(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 5));
  return greeting;
}

async function formatGreeting(readers: number): Promise<string> {
  const text = await loadGreeting();
  try {
    return String(new IntlMessageFormat(text, 'en').format({ name: readers }));
  } catch (error) {
    throw new Error(`The greeting for ${readers} readers cannot be formatted`, { cause: error });
  }
}

/** Throws its own error, whose chain of causes crosses an await and a library. */
export async function showGreeting(): Promise<string> {
  try {
    return await formatGreeting(3);
  } catch (error) {
    throw new Error('The page has no greeting', { cause: error });
  }
}

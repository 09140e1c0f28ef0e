const uuidTail = '[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}';
const uuidHead = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-';

interface Requirements {
  readonly digits: string;
  readonly positiveInt: string;
  readonly asciiSlug: string;
  readonly slug: string;
  readonly catchAll: string;
  readonly dateYmd: string;
  readonly uuid: string;
  readonly uuidV1: string;
  readonly uuidV3: string;
  readonly uuidV4: string;
  readonly uuidV5: string;
  readonly uuidV6: string;
  readonly uuidV7: string;
  readonly uuidV8: string;
  readonly ulid: string;
  readonly uidBase32: string;
  readonly uidBase58: string;
  readonly uidRfc9562: string;
}

/** Predefined requirements, used as `requirements: { id: Requirement.uuid }`. Each takes linear time and matches whole values. */
export const Requirement: Requirements = {
  digits: '[0-9]+',
  positiveInt: '[1-9][0-9]*',
  asciiSlug: '[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*',
  slug: '[\\p{L}\\p{N}]+(?:-[\\p{L}\\p{N}]+)*',
  catchAll: '.+',
  dateYmd: '[0-9]{4}-(?:0[1-9]|1[012])-(?:0[1-9]|[12][0-9]|3[01])',
  uuid: `${uuidHead}[13-8]${uuidTail}`,
  uuidV1: `${uuidHead}1${uuidTail}`,
  uuidV3: `${uuidHead}3${uuidTail}`,
  uuidV4: `${uuidHead}4${uuidTail}`,
  uuidV5: `${uuidHead}5${uuidTail}`,
  uuidV6: `${uuidHead}6${uuidTail}`,
  uuidV7: `${uuidHead}7${uuidTail}`,
  uuidV8: `${uuidHead}8${uuidTail}`,
  ulid: '[0-7][0-9A-HJKMNP-TV-Z]{25}',
  uidBase32: '[0-9A-HJKMNP-TV-Z]{26}',
  uidBase58: '[1-9A-HJ-NP-Za-km-z]{22}',
  uidRfc9562: '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}',
};

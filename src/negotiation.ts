/** The weighted lists by which a client says what it prefers: Accept, Accept-Language (RFC 9110 section 12.5). */
export { parseQualityValues } from './negotiation/parse-quality-values.js';
export type { QualityValue } from './negotiation/parse-quality-values.js';
export { rangeCloseness } from './negotiation/range-closeness.js';

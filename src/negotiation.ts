/** Weighted lists in which clients state their preferences: Accept, Accept-Language (RFC 9110 section 12.5). */
export { parseQualityValues, mediaRangeSpecificity, negotiateType } from './negotiation/negotiate-type.js';
export { type QualityValue, splitUnquoted } from './negotiation/negotiate-type.js';

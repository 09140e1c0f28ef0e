/** The weighted lists with which a client states its preferences: Accept, Accept-Language (RFC 9110 section 12.5). */
export { parseQualityValues, rangeCloseness, type QualityValue } from './negotiation/parse-quality-values.js';

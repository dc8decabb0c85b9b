/** Renders a value on one line. DEL and the C1 controls, which JSON leaves raw, are escaped: a terminal may act on them. */
export const line = (value: unknown): string =>
  `${JSON.stringify(value).replaceAll(ACTING, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`

/** A single character class cannot backtrack. Bidirectional controls reorder text on a terminal. */
const ACTING = /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

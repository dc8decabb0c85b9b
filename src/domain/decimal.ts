/** A number as people write it, in decimal digits: no `0x10`, no `1e3`; else NaN. */
export const decimal = (text: string): number => (/^-?(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN)

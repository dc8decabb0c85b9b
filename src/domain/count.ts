/** `1 trial`, `2 trials`: a number with what is counted. */
export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

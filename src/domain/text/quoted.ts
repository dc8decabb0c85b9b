/** The beginning of a text from outside, as a message quotes it: a JSON string. */
export const quoted = (text: string, most = 80): string => JSON.stringify(text.slice(0, most).toWellFormed())
